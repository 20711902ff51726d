// Moves notices into the topmost sheet while one is open: everything outside a sheet is inert.

/** Keeps an element in the topmost sheet, or where it was put. */
export function above(notices: HTMLElement): () => void {
  const home = notices.parentElement!;
  const place = () => {
    const top = [...document.querySelectorAll('dialog[open]')].at(-1) ?? home;
    if (notices.parentElement !== top) top.append(notices);
  };
  const watch = new MutationObserver(place);
  watch.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['open'] });
  place();
  return () => watch.disconnect();
}
