import { buildPortal } from './build.ts'

const SAID = {
  made: 'The pages for browsers are built.',
  current: 'The pages for browsers are up to date.',
  no_tool: 'The pages for browsers are not built here: vite, a development dependency, is not installed.',
} as const

console.error(SAID[await buildPortal()])
