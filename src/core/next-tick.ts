import { createHook } from 'node:async_hooks'

const ticks: object[] = []

/**
 * Keeps `process.nextTick` fast. Without a live tick object, a full garbage collection makes
 * `process.nextTick` seven times slower (V8 in Node 26.10).
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
