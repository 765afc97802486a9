/** What each exchange publishes, one file a feed. */
export { brokerNameKey } from './parts/broker-name.ts'
export { loadFeeds } from './parts/load.ts'
