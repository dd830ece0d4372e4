import { readFile, writeFile } from 'node:fs/promises'
import { createOpenApiDocument } from '../http/openapi/openapi.ts'
import { problemCodes } from '../kernel/problem-codes.ts'
import { createGuide } from '../app/guide.ts'
import { mcpServerDescription } from '../http/openapi/openapi.server.ts'
import { operations } from '../app/operations.ts'
import { registry } from '../app/registry.ts'

/** A file that is committed, and written from what the areas declare. */
interface GeneratedFile {
  /** Path from the root. */
  path: string
  /** Formats the whole file. Its bytes are the same at every start. */
  format(): string
}

const formatJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

const operationNames = operations.flatMap(({ declaration }) => declaration.document.mcpName ?? [])
const guide = createGuide(new Set(operationNames))

/** Formats the document that is committed and served. */
export const formatDocument = (): string =>
  formatJson(
    createOpenApiDocument(operations, {
      version: '1.0.0',
      tags: registry.tags,
      server: { ...mcpServerDescription, guide },
      schemas: registry.createDocumentSchemas(),
    }),
  )

/** Formats the page of all codes for integrators. */
function formatProblemCodes(): string {
  const rows = Object.entries(problemCodes)
    .sort(([, a], [, b]) => a.status - b.status)
    .map(([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`)
  return `# Error codes

Errors are problem details (RFC 9457) with a stable \`code\`; 5xx carry none but the two of a credential out of reach. \`{base_url}/problems/<code>\` says what it means.

| Code | Status | Meaning |
|---|---|---|
${rows.join('\n')}
`
}

/** The generated files. The tools know the toolsets from theirs, because they import nothing of the core. */
export const generatedFiles: readonly GeneratedFile[] = [
  { path: 'openapi.json', format: formatDocument },
  { path: 'tools/toolsets.json', format: () => formatJson(registry.toolsets) },
  { path: 'core/docs/problem-codes.md', format: formatProblemCodes },
]

/** Writes the generated files, or only compares them if `check` is set. @returns whether all of them were current */
export async function writeOpenapi(check: boolean): Promise<boolean> {
  const states = await Promise.all(generatedFiles.map((file) => writeGenerated(file, check)))
  return states.every(Boolean)
}

async function writeGenerated({ path, format }: GeneratedFile, check: boolean): Promise<boolean> {
  const target = new URL(`../../${path}`, import.meta.url)
  const wanted = format()
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
  process.stdout.write(
    current
      ? 'openapi.json is current\n'
      : check
        ? 'openapi.json differs from the operations\n'
        : 'openapi.json written\n',
  )
  if (check && !current) process.exitCode = 1
}
