/** The HTTP service. */
export { type AppDeps, createApp } from './app.ts'
