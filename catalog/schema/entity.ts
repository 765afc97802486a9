/** Entities that field queries accept. */
export const ENTITY_TYPES = ['company', 'broker', 'branch', 'index', 'bond_tenor'] as const
export type EntityType = (typeof ENTITY_TYPES)[number]

/** A type of entity, and the format of its ids. */
export interface Entity {
  readonly title: string
  readonly titleZh: string
  /**
   * Pattern that the whole id must match. Other ids are refused. If an id matches but is unknown,
   * its values are missing.
   */
  readonly pattern: string
  /** Absent if ids are case-sensitive. */
  readonly fold?: 'upper'
  readonly example: string
  readonly doc: string
}

export const ENTITIES: Readonly<Record<EntityType, Entity>> = {
  company: {
    title: 'Company',
    titleZh: '公司',
    pattern: '[0-9A-Z]{4,8}',
    fold: 'upper',
    example: '2330',
    doc: 'A listed or over-the-counter security, identified by its exchange code.',
  },
  broker: {
    title: 'Securities firm',
    titleZh: '證券商',
    pattern: '[0-9A-Za-z]{4}',
    example: '9800',
    doc: 'A securities firm, identified by the exchange code of its head office. Codes are case-sensitive.',
  },
  branch: {
    title: 'Branch',
    titleZh: '證券商分公司',
    pattern: '[0-9A-Za-z]{4}(/[0-9A-Za-z]{4})*',
    example: '585b',
    doc: 'A branch of a securities firm, identified by its exchange code. Codes are case-sensitive: 585B and 585b are two branches.',
  },
  index: {
    title: 'Index',
    titleZh: '指數',
    pattern: '[0-9A-Z]{2,10}',
    fold: 'upper',
    example: 'IX0001',
    doc: 'An index of an exchange, identified by its code.',
  },
  bond_tenor: {
    title: 'Government bond tenor',
    titleZh: '公債年期',
    pattern: '\\d{1,3}[YM]',
    fold: 'upper',
    example: '10Y',
    doc: 'A point of the government yield curve, identified by its nominal tenor in years or months.',
  },
}
