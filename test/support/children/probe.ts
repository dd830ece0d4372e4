import { runProcess } from '../../../core/kernel/process/process.ts'

/** An entry point that shows how it was started. */
const [command, ...args] = process.argv.slice(2)
if (command === 'say') {
  const {
    version,
    env: { PATH: path },
  } = process
  process.stdout.write(JSON.stringify({ version, cwd: process.cwd(), path, args }))
} else if (command === 'end') {
  process.exit(Number(args[0]))
} else {
  runProcess('probe', async () => {
    const aliveTimer = setInterval(() => undefined, 1000)
    process.stdout.write(`${process.pid}\n`)
    return { stop: async () => clearInterval(aliveTimer) }
  })
}
