/**
 * The arguments of every server in the comparison: `<file> <port> <address of the API> <file with the list of tools>`.
 */
export const [port = '0', upstream = '', toolsFile = ''] = process.argv.slice(2)

/** Tells the parent process that the server is ready, and ends together with it. */
export function announceReady(): void {
  process.send?.({ ready: true })
  process.on('SIGTERM', () => process.exit(0))
  process.on('disconnect', () => process.exit(0))
}
