/** What feeds declare of their sources, asked for over HTTP. */
export { filled, type Period, periodOf, periodsBetween } from './period.ts'
export { type PublicSource, sourceOf } from './sources.ts'
