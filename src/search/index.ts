/** Search over symbols, datasets, fields, themes, indices, brokers and branches. */
export type { SearchEntity } from './entity.ts'
export { FIELDS, type Hit } from './ranking.ts'
export { type IndexInUse, openSearch, type Search } from './search.ts'
