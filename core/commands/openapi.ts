import { readFile, writeFile } from 'node:fs/promises'
import { describe } from '../http/describe.ts'
import { operations } from '../operations.ts'

const target = new URL('../../openapi.json', import.meta.url)

/** The document as it is committed and served: the bytes are the same at every start. */
export function documentText(): string {
  return `${JSON.stringify(describe(operations, { version: '1.0.0' }), null, 2)}\n`
}

/** Writes openapi.json, or with `--check` only says whether the committed one is current. */
export async function writeOpenapi(check: boolean): Promise<boolean> {
  const wanted = documentText()
  const present = await readFile(target, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  if (!check && present !== wanted) await writeFile(target, wanted)
  return present === wanted
}

if (process.argv[1] === import.meta.filename) {
  const check = process.argv.includes('--check')
  const current = await writeOpenapi(check)
  process.stdout.write(current ? 'openapi.json is current\n' : check ? 'openapi.json differs from the operations\n' : 'openapi.json written\n')
  if (check && !current) process.exitCode = 1
}
