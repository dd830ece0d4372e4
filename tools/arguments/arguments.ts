import { getBodyForm, type BodyForm } from './body-form.ts'
import { gatherSchemas, type GatheredSchemas } from './gather-schemas.ts'
import { againArgument, againSchema, makesNew } from './once.ts'
import { createListArgument, createListedArgument } from './list-argument.ts'
import { DocumentError, type ApiDocument, type LocatedSchema, type Schema } from '../openapi.ts'
import { isDryRunParameter, type ExposedOperation } from '../catalogue/operations.ts'
import type { Parameter } from './parameters.ts'
import { createShortView, createFullView, type SchemaView } from '../catalogue/shorten.ts'
import { trimSchema } from '../catalogue/trim-schema.ts'

/** An argument with the part of the request that it becomes. */
export type ArgumentBinding =
  | {
      readonly argument: string
      readonly to: 'path' | 'query'
      readonly parameter: Parameter
      readonly schema: LocatedSchema
    }
  | { readonly argument: string; readonly to: 'member' | 'body'; readonly schema: LocatedSchema }

/** The flat arguments of a tool, with what is needed to build a request from them. */
export interface ArgumentPlan {
  readonly bindings: readonly ArgumentBinding[]
  readonly form: BodyForm | null
  /** The names of the arguments that a request needs, from the caller or from a person who is asked. */
  readonly required: readonly string[]
  /** The schema that validates calls: all that the document says. */
  readonly inputSchema: Schema
  /**
   * The schema in lists of tools: the same in fewer words, and large nested objects only with their required members.
   */
  readonly listedSchema: Schema
  /** The argument that asks for a dry run; null if the operation has none. */
  readonly dryRunArgument: string | null
  /** The argument with the filters of a tool that changes many things at once; null for any other tool. */
  readonly bulkArgument: string | null
  /** Whether the tool takes the argument `again`, by which a caller repeats a call on purpose. */
  readonly takesAgain: boolean
  /** Whether the tool takes the argument `confirm`, by which a caller confirms a preview. */
  readonly takesConfirm: boolean
}

/** The argument of a second call, which confirms the preview that the first one answered. */
export const confirmArgument = 'confirm'

/**
 * Plans the arguments of an operation.
 * @param addressOf returns the address of the full schema at a pointer of the document
 */
export function planArguments(
  document: ApiDocument,
  operation: ExposedOperation,
  addressOf: (pointer: string) => string,
): ArgumentPlan {
  const form = operation.body ? getBodyForm(document, operation.body) : null
  const fromBody = form ? createBodyBindings(form) : []
  const takenNames = new Set(fromBody.map((binding) => binding.argument))
  const ofPath = operation.parameters
    .filter((one) => one.in === 'path')
    .map((one) => createParameterBinding(one, takenNames))
  const ofQuery = operation.parameters
    .filter((one) => one.in === 'query')
    .map((one) => createParameterBinding(one, takenNames))
  const parameters = [...ofPath, ...ofQuery]
  const bindings = [...parameters, ...fromBody]
  const isListFilter = createListFilterTest(operation)
  const bulkArgument = parameters.find(({ parameter }) => isListFilter(parameter))?.argument ?? null
  const stated = listRequiredArguments(operation, parameters, form, fromBody)
  const required = bulkArgument === null || stated.includes(bulkArgument) ? stated : [...stated, bulkArgument]
  const takesConfirm = checkConfirm(operation, bindings)
  const elicitedNames = new Set(operation.questionDeclarations.flatMap(({ members }) => members))
  const isCallerArgument = ({ argument }: ArgumentBinding) => !elicitedNames.has(argument)
  const callerRequired = required.filter((name) => !elicitedNames.has(name))
  const takesAgain = makesNew(operation) && !bindings.some(({ argument }) => argument === againArgument)
  const fullView = createFullView(document)
  const createSchema = (ofParameters: readonly LocatedSchema[], bodyView: SchemaView): Schema => {
    const ofBody = fromBody.filter(isCallerArgument).map(({ schema }) => schema)
    const { schemas, definitions } = joinSchemas(gatherSchemas(ofParameters, fullView), gatherSchemas(ofBody, bodyView))
    return {
      type: 'object',
      properties: {
        ...Object.fromEntries(
          bindings.filter(isCallerArgument).map(({ argument }, index) => [argument, schemas[index]]),
        ),
        ...(takesConfirm && { [confirmArgument]: { type: 'string' } }),
        ...(takesAgain && { [againArgument]: againSchema }),
      },
      ...(callerRequired.length === 0 ? {} : { required: callerRequired }),
      additionalProperties: false,
      ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
    }
  }
  const inputSchema = createSchema(
    parameters.filter(isCallerArgument).map(({ schema }) => schema),
    fullView,
  )
  const listedSchema = createSchema(
    parameters.filter(isCallerArgument).map(({ parameter }) => createListedArgument(parameter, operation)),
    createShortView(document, addressOf),
  )
  const dryRunArgument = parameters.find(({ parameter }) => isDryRunParameter(parameter))?.argument ?? null
  return {
    bindings,
    form,
    required,
    inputSchema,
    listedSchema: trimSchema(listedSchema),
    dryRunArgument,
    bulkArgument,
    takesAgain,
    takesConfirm,
  }
}

/**
 * Creates the test for the filters of a tool that changes many things at once. They are required, so that a call which
 * lost them does not change everything.
 */
const createListFilterTest =
  ({ kind, method }: ExposedOperation) =>
  ({ name, style }: Parameter): boolean =>
    kind === 'tool' && method !== 'GET' && name === 'filters' && style === 'json'

/**
 * Returns whether a tool takes the argument `confirm`.
 * @throws DocumentError if the operation has an argument of that name
 */
function checkConfirm({ preview }: ExposedOperation, bindings: readonly ArgumentBinding[]): boolean {
  if (preview !== 'always' && preview !== 'many') return false
  if (bindings.some(({ argument }) => argument === confirmArgument))
    throw new DocumentError(`x-mcp-preview: the operation has an argument ${confirmArgument}`)
  return true
}

function createBodyBindings(form: BodyForm): ArgumentBinding[] {
  if (form.as === 'members') return [...form.members].map(([argument, schema]) => ({ argument, to: 'member', schema }))
  return [{ argument: form.as === 'items' ? 'items' : 'body', to: 'body', schema: form.schema }]
}

/** Binds a parameter to an argument. If names clash, the body keeps its name first, then the path. */
function createParameterBinding(
  parameter: Parameter,
  takenNames: Set<string>,
): ArgumentBinding & { to: 'path' | 'query' } {
  const argument = takenNames.has(parameter.name) ? `${parameter.name}_${parameter.in}` : parameter.name
  if (takenNames.has(argument)) throw new DocumentError(`two arguments would be named ${argument}`)
  takenNames.add(argument)
  return { argument, to: parameter.in, parameter, schema: createListArgument(parameter) }
}

function listRequiredArguments(
  operation: ExposedOperation,
  parameters: readonly ArgumentBinding[],
  form: BodyForm | null,
  fromBody: readonly ArgumentBinding[],
): string[] {
  const names = parameters.flatMap((binding) =>
    'parameter' in binding && binding.parameter.required ? [binding.argument] : [],
  )
  if (operation.body?.required) {
    if (form?.as === 'members') names.push(...form.required)
    else names.push(...fromBody.map(({ argument }) => argument))
  }
  return names
}

/** Joins two sets of schemas. Equal definitions are shared; different definitions with one name are renamed. */
function joinSchemas(first: GatheredSchemas, second: GatheredSchemas): GatheredSchemas {
  const renamed = new Map<string, string>()
  for (const [name, definition] of Object.entries(second.definitions)) {
    const other = first.definitions[name]
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(definition))
      renamed.set(`#/$defs/${name}`, `${name}_in_body`)
  }
  const rename = <T>(value: T): T =>
    renamed.size === 0
      ? value
      : (JSON.parse(JSON.stringify(value), (key, entry: unknown) => {
          const name = key === '$ref' && typeof entry === 'string' ? renamed.get(entry) : undefined
          return name === undefined ? entry : `#/$defs/${name}`
        }) as T)
  const definitions = { ...first.definitions }
  for (const [name, definition] of Object.entries(second.definitions)) {
    definitions[renamed.get(`#/$defs/${name}`) ?? name] = rename(definition)
  }
  return { schemas: [...first.schemas, ...second.schemas.map(rename)], definitions }
}
