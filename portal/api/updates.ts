/** A publication or withdrawal of a dataset, as `/v2/updates` tells it. */
export interface Update {
  readonly update_id: string
  readonly slug: string
  readonly kind: string
  readonly data_date_from: string | null
  readonly data_date_to: string | null
  readonly rows_added: number
  readonly rows_changed: number
  readonly rows_removed: number
  readonly synthetic: boolean
  readonly release_version: string
  readonly published_at: string
}

/** Updates, newest first. */
export interface Updates {
  readonly data: readonly Update[]
  readonly has_more: boolean
}
