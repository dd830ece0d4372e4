import type { Catalogue, ToolEntry } from '../catalogue/catalogue.ts'
import type { ToolAnnotations } from '../catalogue/operations.ts'
import { createValidatorCompiler } from '../catalogue/validators.ts'
import type { ToolViewOptions } from '../catalogue/visible-tools.ts'
import type { Schema } from '../openapi.ts'
import type { OwnTool } from '../own/own-tool.ts'
import { showInvisible } from '../arguments/show-invisible.ts'
import { createArgumentsProblem } from '../results/problems.ts'
import { createFailureResult, type ToolResult } from '../results/results.ts'
import { createArgumentExample } from './argument-example.ts'
import { describeLists, removeListSentences } from './list-fields.ts'
import { explainMissingTool } from './missing.ts'
import { getOperationIndex } from './operation-index.ts'

export const callOperationName = 'call_operation'

/** The highest number of operations that a search finds. */
const maxHits = 8
/** The longest full schema that a description shows, in characters of JSON; longer ones are shown as in lists. */
const maxFullSchemaLength = 6_000

const readOnlyHints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

const nameSchema = { type: 'string', minLength: 1, maxLength: 200 }

/**
 * Creates the tools of the search view.
 * @param reachable the tools that can be called through them, by name, in order
 */
export function createSearchTools(
  catalogue: Catalogue,
  view: ToolViewOptions,
  reachable: ReadonlyMap<string, ToolEntry>,
): OwnTool[] {
  const compile = createValidatorCompiler()
  const isReachable = (name: string) => reachable.has(name)
  const refuseName = (name: string) =>
    createFailureResult(
      createArgumentsProblem([
        { path: 'name', code: 'unknown_name', message: explainMissingTool(name, catalogue, view, isReachable) },
      ]),
      { writes: false, unsent: true },
    )
  const define = (entry: Omit<ToolEntry, 'inputSchema'>, members: Schema, answer: (args: Schema) => ToolResult) => {
    const inputSchema = { type: 'object', ...members, additionalProperties: false }
    return {
      entry: { ...entry, inputSchema },
      validateArguments: compile(entry.name, inputSchema),
      canElicit: false,
      callTool: (args: Schema) => Promise.resolve(answer(args)),
    }
  }
  return [
    define(
      {
        name: callOperationName,
        title: 'Call an operation',
        description:
          'Calls an operation that find_operation found, to read or to write, with its own result, questions to the user and '
          + 'limits.',
        annotations: joinHints([...reachable.values()].map(({ annotations }) => annotations)),
      },
      { properties: { name: nameSchema, arguments: { type: 'object' } }, required: ['name'] },
      // A call of an operation that can be reached never arrives here: it is made in place of this one.
      ({ name }) => refuseName(String(name)),
    ),
    define(
      {
        name: 'describe_operation',
        title: 'Describe an operation',
        description: 'Says what an operation does and takes: schema, filters, hints, an example.',
        annotations: readOnlyHints,
      },
      { properties: { name: nameSchema }, required: ['name'] },
      ({ name }) => {
        const entry = reachable.get(String(name))
        return entry ? createJsonResult(getDescription(entry, catalogue)) : refuseName(String(name))
      },
    ),
    define(
      {
        name: 'find_operation',
        title: 'Find operations',
        description:
          `Finds at most ${maxHits} operations, the best first. Say what you want in a few words of English, French, `
          + 'German, Spanish or Italian: "certify passports".',
        annotations: readOnlyHints,
      },
      {
        properties: { query: { type: 'string', minLength: 1, maxLength: 500, pattern: '\\S' } },
        required: ['query'],
      },
      ({ query }) => {
        const hits = getOperationIndex(catalogue).find(String(query), maxHits, isReachable)
        return createJsonResult({
          operations: hits.map((entry) => ({
            name: entry.name,
            kind: entry.annotations.readOnlyHint ? 'read' : 'write',
            summary: entry.title,
          })),
          ...(hits.length === 0 && { hint: 'Nothing fits. Name the thing, such as passport, sheet, import or key.' }),
        })
      },
    ),
  ]
}

/** Joins hints to those of a tool that may do what any of the others does. */
const joinHints = (all: readonly ToolAnnotations[]): ToolAnnotations => ({
  readOnlyHint: all.every(({ readOnlyHint }) => readOnlyHint),
  destructiveHint: all.some(({ destructiveHint }) => destructiveHint),
  idempotentHint: all.every(({ idempotentHint }) => idempotentHint),
  openWorldHint: all.some(({ openWorldHint }) => openWorldHint),
})

function createJsonResult(structuredContent: Schema): ToolResult {
  return {
    content: [{ type: 'text', text: showInvisible(JSON.stringify(structuredContent), true) }],
    structuredContent,
  }
}

interface KeptDescriptions {
  readonly byName: Map<string, Schema>
  readonly compile: ReturnType<typeof createValidatorCompiler>
}

const keptDescriptions = new WeakMap<Catalogue, KeptDescriptions>()

/** Returns the description of an operation, which is made at its first use and is the same in every view. */
function getDescription(entry: ToolEntry, catalogue: Catalogue): Schema {
  let kept = keptDescriptions.get(catalogue)
  if (!kept)
    keptDescriptions.set(catalogue, (kept = { byName: new Map<string, Schema>(), compile: createValidatorCompiler() }))
  let description = kept.byName.get(entry.name)
  if (!description) kept.byName.set(entry.name, (description = describeOperation(entry, catalogue, kept.compile)))
  return description
}

function describeOperation(entry: ToolEntry, catalogue: Catalogue, compile: KeptDescriptions['compile']): Schema {
  const tool = catalogue.tools.get(entry.name) ?? catalogue.readTools.get(entry.name)
  const full = tool?.plan.inputSchema ?? entry.inputSchema
  const inputSchema = JSON.stringify(full).length <= maxFullSchemaLength ? full : (tool?.entry ?? entry).inputSchema
  const validate = tool?.validateArguments ?? catalogue.ownTools.get(entry.name)?.validateArguments
  const pathArguments = tool?.plan.bindings.flatMap(({ to, argument }) => (to === 'path' ? [argument] : [])) ?? []
  const example = validate
    ? createArgumentExample(full, pathArguments, (schema) => compile('example', schema), validate)
    : null
  return {
    name: entry.name,
    kind: entry.annotations.readOnlyHint ? 'read' : 'write',
    title: entry.title,
    description: removeListSentences((tool?.entry ?? entry).description),
    ...entry.annotations,
    inputSchema,
    ...(tool && describeLists(tool)),
    ...(example !== null && { example }),
  }
}
