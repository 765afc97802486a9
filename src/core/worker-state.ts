/** How a process fares that the service runs beside itself. */
export interface WorkerState {
  /** The command it runs, for example `watch`. */
  readonly name: string
  readonly running: boolean
  /** When the process that runs, or ran last, was started. */
  readonly startedAt: Date
  /** How often it was started again. */
  readonly restarts: number
  /** The last time it ended by itself or told of a failure; null while neither happened. */
  readonly lastFailure: { readonly at: Date; readonly message: string } | null
}
