/** The HTTP service: everything between a socket and the operations. */
export { type AppDeps, buildApp } from './app.ts'
