export interface Family {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  /** One sentence without quotes and backslashes. */
  readonly help: string
  readonly labels: readonly string[]
}

const counter = (help: string, ...labels: readonly string[]): Family => ({ kind: 'counter', help, labels })
const gauge = (help: string, ...labels: readonly string[]): Family => ({ kind: 'gauge', help, labels })
const histogram = (help: string, ...labels: readonly string[]): Family => ({ kind: 'histogram', help, labels })

/**
 * All metrics, in the order of the output. Existing names, labels and label values must not change,
 * because alerts and dashboards use them. New ones may be added.
 */
export const FAMILIES = {
  twmd_build_info: gauge('1, with the version of the service and of its Node.', 'version', 'node'),
  process_start_time_seconds: gauge('Start time of the process, in seconds since 1970.'),
  process_cpu_seconds_total: counter('CPU time of the process, all threads together.'),
  process_resident_memory_bytes: gauge('Resident memory of the process.'),
  process_open_fds: gauge('Number of open file descriptors; Linux only.'),
  process_max_fds: gauge('Maximum number of open file descriptors; Linux only.'),
  twmd_heap_used_bytes: gauge('JavaScript heap in use.'),
  twmd_heap_total_bytes: gauge('Reserved JavaScript heap.'),
  twmd_external_bytes: gauge('Memory of buffers outside the JavaScript heap.'),
  twmd_event_loop_delay_seconds: gauge('Delay of the event loop since the last scrape, by quantile; 1 is the maximum.', 'q'),
  twmd_event_loop_active_seconds_total: counter('Time in which the event loop was active.'),

  twmd_requests_total: counter(
    'Finished requests, by route and status; 499 if the client disconnected early. Method none for invalid requests, other for methods that the route does not support.',
    'method',
    'route',
    'status',
  ),
  twmd_request_duration_seconds: histogram('Time from a request to the last byte of its response, by route.', 'method', 'route'),
  twmd_requests_running: gauge('Requests in progress.'),
  twmd_response_bytes_total: counter('Bytes sent, after compression, by format; page for HTML, other for the rest.', 'format'),
  twmd_refusals_total: counter('Refused or failed requests, by error code.', 'code'),

  twmd_reads_total: counter('Successful priced reads, by product: a dataset, query or search.', 'product'),
  twmd_rows_total: counter('Rows in answers to priced reads, by format.', 'format'),
  twmd_credits_charged_total: counter('Credits charged for reads, by product.', 'product'),
  twmd_read_stage_seconds: histogram('Duration of each stage of priced reads.', 'stage'),

  twmd_engine_wait_seconds: histogram('Time that reads waited for an engine connection.'),
  twmd_engine_read_seconds: histogram('Time that reads used an engine connection.'),
  twmd_engine_running: gauge('Reads that use an engine connection.'),
  twmd_engine_waiting: gauge('Reads that wait for an engine connection.'),

  twmd_cache_bytes: gauge('Memory of a cache: columns for row data, answers for whole responses.', 'cache'),
  twmd_cache_max_bytes: gauge('Maximum memory of a cache.', 'cache'),
  twmd_cache_hits_total: counter('Cache hits; coded for compressed bodies, which are stored with their uncompressed ones.', 'cache'),
  twmd_cache_misses_total: counter('Cache misses.', 'cache'),
  twmd_columns_parts: gauge('Part files of the served releases: all, and those in memory completely or with their newest rows.', 'held'),

  twmd_ledger_commit_seconds: histogram('Duration of a commit of the usage ledger; responses wait for it.'),
  twmd_ledger_entries_total: counter('Uses and failures that the usage ledger has committed.'),
  twmd_queue_waiting: gauge('Queue length: uses not yet in the ledger, mail, payment events, webhooks.', 'queue'),
  twmd_queue_oldest_seconds: gauge('Age of the oldest queued entry; 0 if the queue is empty.', 'queue'),
  twmd_queue_overdue_seconds: gauge('Time since the next attempt of a queued entry was due; 0 if none is overdue.', 'queue'),
  twmd_queue_attempts: gauge('Maximum number of attempts of a queued entry.', 'queue'),
  twmd_webhook_endpoints: gauge('Webhook endpoints: all, failing and disabled ones.', 'state'),
  twmd_webhook_attempts_total: counter(
    'Webhook delivery attempts, by outcome: delivered, failed (will be retried), given_up (last attempt).',
    'outcome',
  ),
  twmd_mail_given_up: gauge('Mails given up in the last day.'),

  twmd_release_info: gauge('1 for the served release of a dataset.', 'dataset', 'release'),
  twmd_release_published_timestamp_seconds: gauge('Publication time of the served release, in seconds since 1970.', 'dataset'),
  twmd_dataset_rows: gauge('Rows of the served release.', 'dataset'),
  twmd_dataset_newest_day_age_seconds: gauge('Time since the end, in Taipei, of the newest day in the served release.', 'dataset'),
  twmd_dataset_overdue_seconds: gauge('Time since the oldest missing data was due; 0 if none is missing.', 'dataset'),
  twmd_dataset_late: gauge('1 if a dataset is later than its cadence allows, else 0.', 'dataset'),
  twmd_dataset_unavailable: gauge('1 if no release of a published dataset can be served, else 0.', 'dataset'),
  twmd_dataset_fallback: gauge('1 if an older release is served because a newer one is damaged, else 0.', 'dataset'),
  twmd_dataset_damaged_releases: gauge('Damaged releases.', 'dataset'),
  twmd_scrub_parts_left: gauge('Part files still to verify in the current pass of the background verification (scrub).'),
  twmd_scrub_laps_total: counter('Completed passes of the background verification (scrub).'),

  twmd_feed_last_success_timestamp_seconds: gauge('Last successful fetch of a feed, in seconds since 1970.', 'feed'),
  twmd_feed_last_refusal_timestamp_seconds: gauge('Time at which data of a feed was last refused, in seconds since 1970.', 'feed'),
  twmd_feed_tries: gauge('Unsuccessful runs of a feed since its last success.', 'feed'),
  twmd_worker_running: gauge('1 while a worker process runs, else 0.', 'worker'),
  twmd_worker_restarts_total: counter('Restarts of a worker process.', 'worker'),
} as const satisfies Readonly<Record<string, Family>>

export type FamilyName = keyof typeof FAMILIES
