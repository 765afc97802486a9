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
 * Metrics in the order of the output. Do not rename metrics or labels, because dashboards use the
 * names.
 */
export const FAMILIES = {
  twmd_build_info: gauge('1, with the versions of the service and of Node.js as labels.', 'version', 'node'),
  process_start_time_seconds: gauge('Start time of the process, in seconds since 1970.'),
  process_cpu_seconds_total: counter('CPU time of all threads of the process, in seconds.'),
  process_resident_memory_bytes: gauge('Resident memory of the process, in bytes.'),
  process_open_fds: gauge('Number of open file descriptors. Only on Linux.'),
  process_max_fds: gauge('Maximum number of open file descriptors. Only on Linux.'),
  twmd_heap_used_bytes: gauge('JavaScript heap in use, in bytes.'),
  twmd_heap_total_bytes: gauge('Reserved JavaScript heap, in bytes.'),
  twmd_external_bytes: gauge('Memory of buffers outside the JavaScript heap, in bytes.'),
  twmd_event_loop_delay_seconds: gauge(
    'Delay of the event loop since the last scrape, in seconds, by quantile. The quantile 1 is the maximum.',
    'q',
  ),
  twmd_event_loop_active_seconds_total: counter('Time in which the event loop was active, in seconds.'),

  twmd_requests_total: counter(
    'Number of finished requests, by method, route and status. Status 499: the client disconnected early. Method none: the request was invalid. Method other: the route does not support the method.',
    'method',
    'route',
    'status',
  ),
  twmd_request_duration_seconds: histogram(
    'Time from the arrival of a request to the last byte of its response, in seconds, by route.',
    'method',
    'route',
  ),
  twmd_requests_running: gauge('Number of requests in progress.'),
  twmd_response_bytes_total: counter(
    'Number of bytes sent after compression, by format. Format page: HTML. Format other: all other responses.',
    'format',
  ),
  twmd_refusals_total: counter('Number of refused or failed requests, by error code.', 'code'),

  twmd_reads_total: counter('Number of successful priced reads, by product: a dataset, query or search.', 'product'),
  twmd_rows_total: counter('Number of rows in responses to priced reads, by format.', 'format'),
  twmd_credits_charged_total: counter('Number of credits charged for reads, by product.', 'product'),
  twmd_read_stage_seconds: histogram('Duration of priced reads in seconds, by stage.', 'stage'),

  twmd_engine_wait_seconds: histogram('Time that a read waited for an engine connection, in seconds.'),
  twmd_engine_read_seconds: histogram('Time that a read used an engine connection, in seconds.'),
  twmd_engine_running: gauge('Number of reads that use an engine connection.'),
  twmd_engine_waiting: gauge('Number of reads that wait for an engine connection.'),

  twmd_cache_bytes: gauge('Memory of a cache in bytes. Cache columns: row data. Cache answers: whole responses.', 'cache'),
  twmd_cache_max_bytes: gauge('Maximum memory of a cache, in bytes.', 'cache'),
  twmd_cache_hits_total: counter(
    'Number of cache hits. Cache coded: compressed bodies, which are stored together with uncompressed bodies.',
    'cache',
  ),
  twmd_cache_misses_total: counter('Number of cache misses.', 'cache'),
  twmd_columns_parts: gauge(
    'Number of part files of the served releases: all files, files completely in memory, and files with only the newest rows in memory.',
    'held',
  ),

  twmd_ledger_commit_seconds: histogram('Duration of a commit of the usage ledger, in seconds. Responses wait for the commit.'),
  twmd_ledger_entries_total: counter('Number of uses and failures that the usage ledger has committed.'),
  twmd_queue_waiting: gauge(
    'Number of queued entries, by queue: uses not yet in the ledger, mails, payment events, webhook messages.',
    'queue',
  ),
  twmd_queue_oldest_seconds: gauge('Age of the oldest queued entry, in seconds. 0 if the queue is empty.', 'queue'),
  twmd_queue_overdue_seconds: gauge(
    'Time by which the next attempt of a queued entry is overdue, in seconds. 0 if no attempt is overdue.',
    'queue',
  ),
  twmd_queue_attempts: gauge('Maximum number of attempts of a queued entry.', 'queue'),
  twmd_webhook_endpoints: gauge('Number of webhook endpoints, by state: all, failing, disabled.', 'state'),
  twmd_webhook_attempts_total: counter(
    'Number of webhook delivery attempts, by outcome: delivered, failed (will be retried), given_up (last attempt).',
    'outcome',
  ),
  twmd_mail_given_up: gauge('Number of mails whose delivery was given up in the last day.'),

  twmd_release_info: gauge('1 for the served release of a dataset, which is in the label release.', 'dataset', 'release'),
  twmd_release_published_timestamp_seconds: gauge('Publication time of the served release, in seconds since 1970.', 'dataset'),
  twmd_dataset_rows: gauge('Number of rows of the served release.', 'dataset'),
  twmd_dataset_newest_day_age_seconds: gauge(
    'Time since the end of the newest day in the served release, in seconds. Days are Taipei days.',
    'dataset',
  ),
  twmd_dataset_overdue_seconds: gauge('Time since the oldest missing data was due, in seconds. 0 if no data is missing.', 'dataset'),
  twmd_dataset_late: gauge('1 if a dataset is later than its cadence allows, else 0.', 'dataset'),
  twmd_dataset_unavailable: gauge('1 if no release of a published dataset can be served, else 0.', 'dataset'),
  twmd_dataset_fallback: gauge('1 if an older release is served because a newer one is damaged, else 0.', 'dataset'),
  twmd_dataset_damaged_releases: gauge('Number of damaged releases.', 'dataset'),
  twmd_scrub_parts_left: gauge('Number of part files still to verify in the current pass of the background verification (scrub).'),
  twmd_scrub_laps_total: counter('Number of completed passes of the background verification (scrub).'),

  twmd_feed_last_success_timestamp_seconds: gauge('Time of the last successful fetch of a feed, in seconds since 1970.', 'feed'),
  twmd_feed_last_refusal_timestamp_seconds: gauge('Time at which data of a feed was last refused, in seconds since 1970.', 'feed'),
  twmd_feed_tries: gauge('Number of unsuccessful runs of a feed since its last success.', 'feed'),
  twmd_worker_running: gauge('1 while a worker process runs, else 0.', 'worker'),
  twmd_worker_restarts_total: counter('Number of restarts of a worker process.', 'worker'),
} as const satisfies Readonly<Record<string, Family>>

export type FamilyName = keyof typeof FAMILIES
