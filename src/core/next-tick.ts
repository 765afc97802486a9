import { createHook } from 'node:async_hooks'

/** Objects of Node's queue of ticks that must stay in memory. */
const ticks: object[] = []

/**
 * Keeps `process.nextTick` fast, which each request calls several times. V8 discards the hidden
 * class of Node's tick objects when a full collection finds none of them. Each later call takes 350
 * ns or more instead of 50 ns (Node 26.10). One tick object that is never released prevents this.
 */
export function keepNextTickFast(): void {
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      if (type === 'TickObject') ticks.push(resource)
    },
  })
  hook.enable()
  process.nextTick(() => {})
  hook.disable()
}
