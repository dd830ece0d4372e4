import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateSource } from 'oazapfts'
import { getOperationName } from 'oazapfts/generate'
import type { OpenAPIV3_1 } from 'openapi-types'

type Operation = OpenAPIV3_1.OperationObject
type Place = 'path' | 'query' | 'header' | 'body'

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

/**
 * Writes the client that oazapfts makes of a document: `generated.ts` with a function for every operation, and
 * `operations.ts`, in which `test/clients/typed/oazapfts/client.ts` finds the function of a method and path.
 * Functions take one object here, which names every argument; oazapfts' other style, a list, has the same types.
 */
export async function writeOazapftsClient(document: OpenAPIV3_1.Document, folder: string): Promise<void> {
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  const source = await generateSource(file, { argumentStyle: 'object', futureStripLegacyMethods: true })
  writeFileSync(join(folder, 'generated.ts'), source)
  writeFileSync(join(folder, 'operations.ts'), writeOperations(document, source))
}

/** Writes the function of every method and path, and for each of its arguments its place and name in the request. */
function writeOperations(document: OpenAPIV3_1.Document, source: string): string {
  const rows = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item?.[method]
      if (!operation) return []
      const name = getOperationName(method, path, operation.operationId)
      const takes = JSON.stringify(placeArguments(document, operation, listArguments(source, name)))
      return `  '${method.toUpperCase()} ${path}': { run: generated.${name}, takes: ${takes} },`
    }),
  )
  return [
    `import * as generated from './generated.ts'`,
    '',
    'export const operations = {',
    ...rows,
    '} as const',
    '',
  ].join('\n')
}

/** Lists the arguments of a function, which names them in its head. @throws Error if there is no such function */
function listArguments(source: string, name: string): string[] {
  const head = new RegExp(`^export function ${name}\\((?:\\{ (.*?) \\}: )?`, 'm').exec(source)
  if (!head) throw new Error(`oazapfts wrote no function ${name}`)
  return head[1]?.split(', ') ?? []
}

/** Places the arguments of a function: oazapfts takes the parameters in the order of the document, and the body last. */
function placeArguments(
  document: OpenAPIV3_1.Document,
  { parameters = [], requestBody }: Operation,
  given: readonly string[],
): Record<Place, Record<string, string>> {
  const wanted = parameters.map((one) => {
    const { in: place, name } = resolve<OpenAPIV3_1.ParameterObject>(document, one)
    return { place: place as Place, name }
  })
  if (requestBody) wanted.push({ place: 'body', name: 'body' })
  if (given.length !== wanted.length) throw new Error(`oazapfts takes ${given.join()} for ${JSON.stringify(wanted)}`)
  const takes: Record<Place, Record<string, string>> = { path: {}, query: {}, header: {}, body: {} }
  for (const [at, { place, name }] of wanted.entries()) takes[place][given[at] ?? ''] = name
  return takes
}

/** Returns what a reference names, or the value itself. */
function resolve<T extends object>(document: OpenAPIV3_1.Document, given: T | OpenAPIV3_1.ReferenceObject): T {
  if (!('$ref' in given)) return given
  const steps = given.$ref.split('/').slice(1)
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], document) as T
}
