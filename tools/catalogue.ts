import { listOperation } from './applications.ts'
import { planArguments, type ArgumentPlan } from './arguments.ts'
import { lookupApplicationId } from './lookup-application-id.ts'
import { asDocument, DocumentError, isRecord, within, type ApiDocument, type Schema } from './openapi.ts'
import { exposedOperations, methods, type ExposedOperation, type Hints, type Method } from './operations.ts'
import { outputSchema } from './outputs.ts'
import type { OwnTool } from './own-tool.ts'
import { ResourceIndex } from './resources.ts'
import { Routes } from './routes.ts'
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
  readonly operation: ExposedOperation
  readonly plan: ArgumentPlan
  readonly routes: Routes<string>
  readonly validate: Validator
  /** Compiled at first use. Null where the tool has no output schema. */
  readonly validateOutput: () => Validator | null
}

/** Everything one version of the document gives. It never changes; a new document makes a new one. */
export interface Catalogue {
  readonly tools: ReadonlyMap<string, Tool>
  /** Tools that are no operations, by name. */
  readonly own: ReadonlyMap<string, OwnTool>
  /** By name, so that the list has the same bytes at every start. */
  readonly toolList: readonly ToolEntry[]
  /** The same with output schemas. */
  readonly fullToolList: readonly ToolEntry[]
  readonly resources: ResourceIndex
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
  const full = operations
    .filter(({ kind }) => kind === 'tool')
    .map((operation) =>
      within(operation.name, () => readTool(document, operation, resources, compile, routes[operation.method])),
    )
  const applications = operations.find(({ name, kind }) => name === listOperation && kind === 'resource')?.path ?? null
  const own = applications === null ? [] : [lookupApplicationId(applications, compile)]
  const fullToolList = listed([...full, ...own].map(({ entry }) => entry))
  return {
    tools: new Map(full.map(({ entry, tool }) => [entry.name, tool])),
    own: new Map(own.map((tool) => [tool.entry.name, tool])),
    toolList: fullToolList.map(({ outputSchema: _, ...entry }) => entry),
    fullToolList,
    resources,
    applications,
  }
}

function listed(entries: readonly ToolEntry[]): ToolEntry[] {
  const sorted = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1))
  const twice = sorted.find(({ name }, at) => name === sorted[at + 1]?.name)
  if (twice) throw new DocumentError(`an operation is named ${twice.name}, as a tool of the bridge is`)
  return sorted
}

function readTool(
  document: ApiDocument,
  operation: ExposedOperation,
  resources: ResourceIndex,
  compile: ReturnType<typeof validatorCompiler>,
  routes: Routes<string>,
): { entry: ToolEntry; tool: Tool } {
  const plan = planArguments(document, operation, (pointer) => resources.addressOfSchema(pointer))
  const output = outputSchema(document, operation)
  const entry = {
    name: operation.name,
    title: operation.title,
    description: describe(operation, plan),
    inputSchema: plan.inputSchema,
    ...(output === null ? {} : { outputSchema: output }),
    annotations: operation.hints,
  }
  let compiled: Validator | null = null
  const validateOutput = () => (output === null ? null : (compiled ??= compile(operation.name, output)))
  return {
    entry,
    tool: { operation, plan, routes, validate: compile('inputSchema', plan.inputSchema), validateOutput },
  }
}

function describe({ description, confirm }: ExposedOperation, { form }: ArgumentPlan): string {
  const rules =
    form?.as === 'members' && Object.keys(form.rules).length > 0
      ? [`Rule of the body: ${JSON.stringify(form.rules)}.`]
      : []
  return [description, ...rules, ...(confirm ? ['Irreversible: ask the user first.'] : [])].join(' ')
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
