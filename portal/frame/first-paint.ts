/**
 * Resolves after the browser has painted the text that the server wrote. Earlier rendering would
 * delay that text on a slow processor, or replace it before it is visible. The second frame starts
 * after the first one was painted. A hidden tab has no frames, so the promise resolves immediately.
 */
export const firstPaint = new Promise<void>(resolve => {
  if (document.hidden) resolve()
  else requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))
})
