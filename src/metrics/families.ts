/** A metric: samples with the same name, kind and label names. */
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
 * All metrics in output order. Names, labels and label values can be added but not changed, because
 * alerts and dashboards use them.
 */
export const FAMILIES = {
  twmd_build_info: gauge('1, with the version of the service and of its Node.', 'version', 'node'),
  process_start_time_seconds: gauge('When the process was started, in seconds since 1970.'),
  process_cpu_seconds_total: counter('Processor time of the process, all of its threads together.'),
  process_resident_memory_bytes: gauge('Memory of the process that is in RAM.'),
  process_open_fds: gauge('Descriptors that are open; only on Linux.'),
  process_max_fds: gauge('Descriptors that may be open; only on Linux.'),
  twmd_heap_used_bytes: gauge('JavaScript heap in use.'),
  twmd_heap_total_bytes: gauge('JavaScript heap set aside.'),
  twmd_external_bytes: gauge('Memory of buffers outside the JavaScript heap.'),
  twmd_event_loop_delay_seconds: gauge('How late the event loop was since the last scrape, by quantile; 1 is the worst.', 'q'),
  twmd_event_loop_active_seconds_total: counter('Time in which the event loop worked, and did not wait.'),

  twmd_requests_total: counter(
    'Requests whose answer is over, by route and status; 499 where the caller left before its end. Method none for what could not be read as a request, other for methods that the route does not take.',
    'method',
    'route',
    'status',
  ),
  twmd_request_duration_seconds: histogram('Time from a request to the last byte of its answer, by route.', 'method', 'route'),
  twmd_requests_running: gauge('Answers that are being made or sent.'),
  twmd_response_bytes_total: counter(
    'Bytes of answers as sent, compressed where they were, by format; page for HTML, other for the rest.',
    'format',
  ),
  twmd_refusals_total: counter('Requests that were refused or failed, by code.', 'code'),

  twmd_reads_total: counter('Priced reads that were answered, by product: a dataset, or query and search.', 'product'),
  twmd_rows_total: counter('Rows of these reads, by format.', 'format'),
  twmd_credits_charged_total: counter('Credits charged for these reads, by product.', 'product'),
  twmd_read_stage_seconds: histogram('Time of each stage of these reads.', 'stage'),

  twmd_engine_wait_seconds: histogram('Time that reads waited for a connection of the engine.'),
  twmd_engine_read_seconds: histogram('Time that reads held a connection of the engine.'),
  twmd_engine_running: gauge('Reads that hold a connection of the engine.'),
  twmd_engine_waiting: gauge('Reads that wait for one.'),

  twmd_cache_bytes: gauge('Memory that a cache takes: columns for histories, answers for whole answers.', 'cache'),
  twmd_cache_max_bytes: gauge('Memory that a cache may take.', 'cache'),
  twmd_cache_hits_total: counter(
    'Look-ups that a cache had the answer to; coded for compressed bodies, which are kept beside what they were made of.',
    'cache',
  ),
  twmd_cache_misses_total: counter('Look-ups that it had not.', 'cache'),
  twmd_columns_parts: gauge('Part files of the served releases: all, and those held in memory whole or with their newest rows.', 'held'),

  twmd_ledger_commit_seconds: histogram('Time of one commit of the usage ledger; answers wait for it.'),
  twmd_ledger_entries_total: counter('Uses and failures that these commits wrote.'),
  twmd_queue_waiting: gauge('Entries that wait: uses owed to the ledger, mail, payment events, webhooks.', 'queue'),
  twmd_queue_oldest_seconds: gauge('Age of the oldest entry that waits; 0 where none does.', 'queue'),
  twmd_queue_overdue_seconds: gauge('Time since an entry that waits was to be tried next; 0 where none is overdue.', 'queue'),
  twmd_queue_attempts: gauge('Most attempts that an entry that waits has behind it.', 'queue'),
  twmd_webhook_endpoints: gauge('Webhook endpoints: all, those that fail now, and those that were disabled.', 'state'),
  twmd_webhook_attempts_total: counter(
    'Attempts to deliver a webhook, by outcome: delivered, failed where the message is tried again, given_up where it was the last.',
    'outcome',
  ),
  twmd_mail_given_up: gauge('Mails of the last day that were given up.'),

  twmd_release_info: gauge('1 for the release that is served of a dataset.', 'dataset', 'release'),
  twmd_release_published_timestamp_seconds: gauge('When the served release was published, in seconds since 1970.', 'dataset'),
  twmd_dataset_rows: gauge('Rows of the served release.', 'dataset'),
  twmd_dataset_newest_day_age_seconds: gauge('Time since the end, in Taipei, of the newest day that the served release covers.', 'dataset'),
  twmd_dataset_overdue_seconds: gauge('Time since the oldest missing data was expected; 0 where none is missing.', 'dataset'),
  twmd_dataset_late: gauge('1 where a dataset is late beyond what its cadence allows, else 0.', 'dataset'),
  twmd_dataset_unavailable: gauge('1 where no release of a published dataset can be served, else 0.', 'dataset'),
  twmd_dataset_fallback: gauge('1 where an older release is served because a newer one is damaged, else 0.', 'dataset'),
  twmd_dataset_damaged_releases: gauge('Releases that damage keeps from being served.', 'dataset'),
  twmd_scrub_parts_left: gauge('Part files that the running lap of verification has not reached.'),
  twmd_scrub_laps_total: counter('Laps of verification that ended.'),

  twmd_feed_last_success_timestamp_seconds: gauge('When what was due of a feed last came, in seconds since 1970.', 'feed'),
  twmd_feed_last_refusal_timestamp_seconds: gauge('When data of a feed was last refused, in seconds since 1970.', 'feed'),
  twmd_feed_tries: gauge('Runs of a feed without success since the last that came.', 'feed'),
  twmd_worker_running: gauge('1 while a process beside the service runs, else 0.', 'worker'),
  twmd_worker_restarts_total: counter('How often it was started again.', 'worker'),
} as const satisfies Readonly<Record<string, Family>>

export type FamilyName = keyof typeof FAMILIES
