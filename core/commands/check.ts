import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const modules = join(root, 'node_modules')
const folders = ['core', 'bridge', 'tools', 'prompts', 'test']

/**
 * Files that are not formatted: files that a program writes, and migrations, which never change after their release.
 */
const kept = [
  'core/chains/evm/contracts/{anchors,keys,passports}.abi.ts',
  'test/clients/typed/**',
  'core/database/migrations/**',
]
const sources = [...folders.map((folder) => `${folder}/**/*.ts`), ...kept.map((pattern) => `!${pattern}`)]

/** Whether to format all files, instead of listing those that are not formatted. */
const mends = process.argv.includes('--fix')

/** The checks: format, types, lint, unused code, and the tests of the architecture. */
const steps = [
  {
    name: 'format',
    args: [join(modules, 'prettier/bin/prettier.cjs'), mends ? '--write' : '--check', '--log-level=warn', ...sources],
  },
  { name: 'types', args: [join(modules, 'typescript/bin/tsc'), '-p', 'core'] },
  { name: 'lint', args: [join(modules, 'eslint/bin/eslint.js'), '-c', 'core/eslint.config.js', ...folders] },
  { name: 'unused', args: [join(modules, 'knip/bin/knip.js'), '--config', 'core/knip.jsonc'] },
  { name: 'house', args: ['test/support/run.ts', 'test/house'] },
]

const failed = steps.filter(({ name, args }) => {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  process.stdout.write(`${name}: ${status === 0 ? 'good' : 'not good'}\n`)
  return status !== 0
})
process.exit(failed.length === 0 ? 0 : 1)
