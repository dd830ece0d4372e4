import { runProcess } from '../../../core/kernel/process.ts'

/** An entry point that shows how it was started. */
const [order, ...args] = process.argv.slice(2)
if (order === 'say') {
  const { version, env: { PATH: path } } = process
  process.stdout.write(JSON.stringify({ version, cwd: process.cwd(), path, args }))
} else if (order === 'end') {
  process.exit(Number(args[0]))
} else {
  runProcess('probe', async () => {
    const alive = setInterval(() => undefined, 1000)
    process.stdout.write(`${process.pid}\n`)
    return { stop: async () => clearInterval(alive) }
  })
}
