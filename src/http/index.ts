/** The HTTP service: everything between a socket and the operations. */
export { type AppDeps, createApp } from './app.ts'
