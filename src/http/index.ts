/** The HTTP service: everything between a socket and the operations. */
export { type AppParts, buildApp } from './app.ts'
