import { buildHere } from './build.ts'

const MESSAGES = {
  made: 'The pages for browsers are built.',
  current: 'The pages for browsers are up to date.',
  no_tool: 'The pages for browsers are not built: vite, a development dependency, is not installed.',
} as const

if (process.send) {
  // Terminals send signals to both processes. The parent process decides when this process stops.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  process.on('disconnect', () => process.exit())
  if (!process.connected) process.exit()
}
try {
  const built = await buildHere()
  if (process.send) process.send(built, () => process.disconnect())
  else console.error(MESSAGES[built])
} catch (error) {
  console.error(String(error))
  process.exit(1)
}
