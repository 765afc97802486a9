/** The same work, but a call while it still runs begins nothing: it gets the run there is. */
export function unlessRunning(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
}
