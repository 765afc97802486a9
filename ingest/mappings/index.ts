/** Maps columns of foreign files to those of datasets: stored mappings, units, proposals. */

export { createMarketTable, foreignColumns, isLong, mappedRows } from './mapped-rows.ts'
export { BESIDE, type Mapping, type MappingWords, mappingBeside, mappingFrom, readMapping } from './mapping.ts'
export { type Proposal, proposeMapping } from './propose.ts'
export { UNITS } from './units.ts'
