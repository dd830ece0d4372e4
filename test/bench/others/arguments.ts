/** What every server of the comparison is started with: `<file> <port> <address of the API> <file with the list of tools>`. */
export const [port = '0', upstream = '', toolsFile = ''] = process.argv.slice(2)

/** Tells who started this that it serves, and ends with it. */
export function serving(): void {
  process.send?.({ ready: true })
  process.on('SIGTERM', () => process.exit(0))
  process.on('disconnect', () => process.exit(0))
}
