// A test waits for an event, and only a hang reaches these: they say nothing about how quick a screen is. What is quick enough is
// measured by `npm run speed`.

/** For one event: an element, a request, a page, a process. */
export const EVENT_TIMEOUT = 120_000;

/** For a whole test or hook. It is longer, so that the event that did not come is named. */
export const TEST_TIMEOUT = 600_000;
