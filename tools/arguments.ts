import { bodyForm, type BodyForm } from './body.ts'
import { gather, type Gathered } from './gather.ts'
import { listArgument, shownListArgument } from './list-argument.ts'
import { DocumentError, type ApiDocument, type Located, type Schema } from './openapi.ts'
import type { ExposedOperation } from './operations.ts'
import type { Parameter } from './parameters.ts'
import { shortView, wholeView, type View } from './shorten.ts'
import { trim } from './trim.ts'

/** Where an argument goes. */
export type Binding =
  | {
      readonly argument: string
      readonly to: 'path' | 'query'
      readonly parameter: Parameter
      readonly schema: Located
    }
  | { readonly argument: string; readonly to: 'member' | 'body'; readonly schema: Located }

/** The arguments of a tool, flat, and how they become a request. */
export interface ArgumentPlan {
  readonly bindings: readonly Binding[]
  readonly form: BodyForm | null
  /** Names of the arguments that a request needs, whether the caller gives them or a person is asked for them. */
  readonly required: readonly string[]
  /** What calls are judged by: all that the document says. */
  readonly inputSchema: Schema
  /** The same in fewer words, large nested objects by their required members only: what a list of tools shows. */
  readonly shown: Schema
}

/** @param addressOf where the full schema of a shortened one can be read, by its pointer in the document. */
export function planArguments(
  document: ApiDocument,
  operation: ExposedOperation,
  addressOf: (pointer: string) => string,
): ArgumentPlan {
  const form = operation.body ? bodyForm(document, operation.body) : null
  const fromBody = form ? bodyBindings(form) : []
  const taken = new Set(fromBody.map((binding) => binding.argument))
  const ofPath = operation.parameters.filter((one) => one.in === 'path').map((one) => parameterBinding(one, taken))
  const ofQuery = operation.parameters.filter((one) => one.in === 'query').map((one) => parameterBinding(one, taken))
  const parameters = [...ofPath, ...ofQuery]
  const bindings = [...parameters, ...fromBody]
  const required = requiredOf(operation, parameters, form, fromBody)
  const asked = new Set(operation.asks.flatMap(({ members }) => members))
  const given = ({ argument }: Binding) => !asked.has(argument)
  const demanded = required.filter((name) => !asked.has(name))
  const whole = wholeView(document)
  const schemaOf = (ofParameters: readonly Located[], bodyView: View): Schema => {
    const ofBody = fromBody.filter(given).map(({ schema }) => schema)
    const { schemas, definitions } = join(gather(ofParameters, whole), gather(ofBody, bodyView))
    return {
      type: 'object',
      properties: Object.fromEntries(bindings.filter(given).map(({ argument }, index) => [argument, schemas[index]])),
      ...(demanded.length === 0 ? {} : { required: demanded }),
      additionalProperties: false,
      ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
    }
  }
  const inputSchema = schemaOf(
    parameters.filter(given).map(({ schema }) => schema),
    whole,
  )
  const shown = schemaOf(
    parameters.filter(given).map(({ parameter }) => shownListArgument(parameter)),
    shortView(document, addressOf),
  )
  return { bindings, form, required, inputSchema, shown: trim(shown) }
}

function bodyBindings(form: BodyForm): Binding[] {
  if (form.as === 'members') return [...form.members].map(([argument, schema]) => ({ argument, to: 'member', schema }))
  return [{ argument: form.as === 'items' ? 'items' : 'body', to: 'body', schema: form.schema }]
}

/** On a clash the body keeps the name, then the path does. */
function parameterBinding(parameter: Parameter, taken: Set<string>): Binding & { to: 'path' | 'query' } {
  const argument = taken.has(parameter.name) ? `${parameter.name}_${parameter.in}` : parameter.name
  if (taken.has(argument)) throw new DocumentError(`two arguments would be named ${argument}`)
  taken.add(argument)
  return { argument, to: parameter.in, parameter, schema: listArgument(parameter) }
}

function requiredOf(
  operation: ExposedOperation,
  parameters: readonly Binding[],
  form: BodyForm | null,
  fromBody: readonly Binding[],
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

/** Two sets of schemas over one set of definitions: equal ones are shared, different ones of one name are renamed. */
function join(first: Gathered, second: Gathered): Gathered {
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
