import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const modules = join(root, 'node_modules')
const folders = ['core', 'bridge', 'tools', 'prompts', 'test']

/** Types, lint, and the tests that hold the architecture. */
const steps = [
  { name: 'types', args: [join(modules, 'typescript/bin/tsc'), '-p', 'core'] },
  { name: 'lint', args: [join(modules, 'eslint/bin/eslint.js'), '-c', 'core/eslint.config.js', ...folders] },
  { name: 'house', args: ['test/support/run.ts', 'test/house'] },
]

const failed = steps.filter(({ name, args }) => {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  process.stdout.write(`${name}: ${status === 0 ? 'good' : 'not good'}\n`)
  return status !== 0
})
process.exit(failed.length === 0 ? 0 : 1)
