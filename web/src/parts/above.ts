// What is told stands in the topmost sheet while one is open: all beside a sheet is out of sight and out of reach.

/** Keeps an element in the topmost sheet, or where it was put. */
export function above(told: HTMLElement): () => void {
  const home = told.parentElement!;
  const place = () => {
    const top = [...document.querySelectorAll('dialog[open]')].at(-1) ?? home;
    if (told.parentElement !== top) top.append(told);
  };
  const watch = new MutationObserver(place);
  watch.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['open'] });
  place();
  return () => watch.disconnect();
}
