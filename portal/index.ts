export { type Built, buildPortal } from './build.ts'
