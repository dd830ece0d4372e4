import { listOperation } from './applications.ts'
import { planArguments, type ArgumentPlan, type Binding } from './arguments.ts'
import type { Question } from './asking.ts'
import { questionsOf } from './forms.ts'
import { headerParameters, type HeaderParameter } from './header-parameters.ts'
import { lookupApplicationId } from './lookup-application-id.ts'
import { asDocument, DocumentError, isRecord, within, type ApiDocument, type Schema } from './openapi.ts'
import { exposedOperations, methods, type ExposedOperation, type Hints, type Method } from './operations.ts'
import { outputSchemas, type OutputSchemas } from './outputs.ts'
import type { OwnTool } from './own-tool.ts'
import { readPrompt, type PromptEntry } from './prompt-operations.ts'
import { requestMaker, type RequestMaker } from './prepare.ts'
import { ResourceIndex } from './resources.ts'
import { Routes } from './routes.ts'
import { withoutTitle } from './trim.ts'
import { validatorCompiler, type Validator } from './validators.ts'

/** A tool as `tools/list` shows it. */
export interface ToolEntry {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Schema
  readonly outputSchema?: Schema
  readonly annotations: Hints
}

/** A tool, ready to be called. */
export interface Tool {
  /** As a list shows it that has no output schemas. */
  readonly entry: ToolEntry
  readonly operation: ExposedOperation
  readonly plan: ArgumentPlan
  /** Arguments that clients of the modern era repeat as headers. */
  readonly headers: readonly HeaderParameter[]
  /** Throws ArgumentError for arguments that fit the schema and not the address. */
  readonly prepare: RequestMaker
  /** What a person is asked before the call, in this order. */
  readonly questions: readonly Question[]
  readonly validate: Validator
  /** Null where it may answer something else than JSON. */
  readonly outputs: OutputSchemas | null
  /** Judges structured content as this era has it. Compiled at first use; null where the tool has no output schema. */
  readonly validateOutput: (era: keyof OutputSchemas) => Validator | null
}

/** An operation that answers the messages of a prompt. Its arguments are all text. */
export interface PromptOperation {
  readonly entry: PromptEntry
  /** The values of arguments that have only some. */
  readonly choices: ReadonlyMap<string, readonly string[]>
  readonly tool: Tool
}

/** Everything one version of the document gives. It never changes; a new document makes a new one. */
export interface Catalogue {
  /** Operations that are tools, by name; so are the following two. */
  readonly tools: ReadonlyMap<string, Tool>
  /** Those that are resources, as tools for clients that read nothing else. */
  readonly reads: ReadonlyMap<string, Tool>
  /** Tools that are no operations, by name. */
  readonly own: ReadonlyMap<string, OwnTool>
  readonly resources: ResourceIndex
  /** Ordered by name. */
  readonly prompts: ReadonlyMap<string, PromptOperation>
  /** Path of the list of applications; null where the document has none. */
  readonly applications: string | null
}

/**
 * Reads a document into tools and resources. Throws DocumentError where it cannot be used.
 * @param apiUrl the address of the API, without a slash at its end; resources are named by it.
 */
export function readCatalogue(value: unknown, apiUrl: string): Catalogue {
  const document = asDocument(value)
  const operations = exposedOperations(document)
  const compile = validatorCompiler()
  const routes = routesByMethod(document)
  const resources = new ResourceIndex(document, operations, apiUrl, routes.GET)
  const toolsOf = (wanted: ExposedOperation['kind']) =>
    operations
      .filter(({ kind }) => kind === wanted)
      .map((one) => within(one.name, () => readTool(document, one, resources, compile, routes[one.method])))
  const applications = operations.find(({ name, kind }) => name === listOperation && kind === 'resource')?.path ?? null
  const own = applications === null ? [] : [lookupApplicationId(applications, compile)]
  const twice = own.find(({ entry }) => operations.some(({ name }) => name === entry.name))
  if (twice) throw new DocumentError(`an operation is named ${twice.entry.name}, as a tool of the bridge is`)
  return {
    tools: byName(toolsOf('tool')),
    reads: byName(toolsOf('resource')),
    own: byName(own),
    resources,
    prompts: byName(
      toolsOf('prompt').map((tool) => ({
        ...within(tool.entry.name, () => readPrompt(document, tool.operation, tool.plan)),
        tool,
      })),
    ),
    applications,
  }
}

const byName = <T extends { readonly entry: { readonly name: string } }>(all: readonly T[]): ReadonlyMap<string, T> =>
  new Map(all.map((one) => [one.entry.name, one]))

function readTool(
  document: ApiDocument,
  operation: ExposedOperation,
  resources: ResourceIndex,
  compile: ReturnType<typeof validatorCompiler>,
  routes: Routes<string>,
): Tool {
  const plan = planArguments(document, operation, (pointer) => resources.addressOfSchema(pointer))
  const outputs = outputSchemas(document, operation)
  const { name, title, hints } = operation
  const entry = { name, title, description: describe(operation, plan), inputSchema: plan.shown, annotations: hints }
  const askable = new Map(plan.bindings.filter(({ to }) => to !== 'path').map((binding) => askableOf(binding, plan)))
  const compiled: Partial<Record<keyof OutputSchemas, Validator>> = {}
  const validateOutput = (era: keyof OutputSchemas) =>
    outputs === null ? null : (compiled[era] ??= compile(operation.name, outputs[era]))
  return {
    entry,
    operation,
    plan,
    headers: headerParameters(plan.inputSchema),
    prepare: requestMaker(operation, plan, routes),
    questions: questionsOf(document, operation.asks, askable, compile),
    validate: compile('inputSchema', plan.inputSchema),
    outputs,
    validateOutput,
  }
}

const askableOf = ({ argument, schema }: Binding, { required }: ArgumentPlan) =>
  [argument, { schema, required: required.includes(argument) }] as const

function describe({ kind, title, description, confirm, asks }: ExposedOperation, { form }: ArgumentPlan): string {
  const rules =
    form?.as === 'members' && Object.keys(form.rules).length > 0
      ? [`Rule of the body: ${JSON.stringify(form.rules)}.`]
      : []
  const asked = asks.flatMap(({ members }) => members).join(', ')
  const questions = asked === '' ? [] : [`The user is asked for ${asked}.`]
  const irreversible = confirm ? ['Irreversible: ask the user first.'] : []
  const told = kind === 'tool' ? withoutTitle(title, description) : description
  return [told, ...rules, ...questions, ...irreversible].join(' ')
}

/** Every path of the document, exposed or not. */
function routesByMethod(document: ApiDocument): Record<Method, Routes<string>> {
  const routes = {
    GET: new Routes<string>(),
    POST: new Routes<string>(),
    PUT: new Routes<string>(),
    PATCH: new Routes<string>(),
    DELETE: new Routes<string>(),
  }
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of methods) if (isRecord(item[method])) routes[method.toUpperCase() as Method].add(path, path)
  }
  return routes
}
