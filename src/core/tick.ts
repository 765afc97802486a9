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

/** The same for work on something: a call for what is being worked on gets the run there is. */
export function unlessRunningOn<T>(work: (on: T) => Promise<void>): (on: T) => Promise<void> {
  const running = new Map<T, Promise<void>>()
  return on => {
    const run = running.get(on) ?? work(on).finally(() => running.delete(on))
    running.set(on, run)
    return run
  }
}
