import { applicationsOperationName } from '../own/applications.ts'
import { planArguments, type ArgumentPlan, type ArgumentBinding } from '../arguments/arguments.ts'
import type { ElicitationQuestion } from '../own/elicitation.ts'
import { createQuestions } from '../arguments/forms.ts'
import { findHeaderParameters, type HeaderParameter } from './header-parameters.ts'
import { createLookupTool } from '../own/lookup-application-id.ts'
import { toApiDocument, DocumentError, isRecord, type ApiDocument, type Schema } from '../openapi.ts'
import { readServerDescription, type ServerDescription } from '../server-description.ts'
import {
  catchLeftOut,
  listExposedOperations,
  httpMethods,
  type LeftOutOperation,
  type ExposedOperation,
  type ToolAnnotations,
  type HttpMethod,
} from './operations.ts'
import { createOutputSchemas, findStartedResource, type OutputSchemas } from './output-schemas.ts'
import type { OwnTool } from '../own/own-tool.ts'
import { readPrompt, type PromptEntry } from './prompt-operations.ts'
import { showInvisibleTexts } from '../arguments/show-invisible.ts'
import { createRequestFactory, type RequestFactory } from '../arguments/request-factory.ts'
import { ResourceIndex } from './resources.ts'
import { Routes } from './routes.ts'
import { findSecretPlaces, type SecretPlaces } from '../results/secrets.ts'
import { removeTitle } from './trim-schema.ts'
import { createValidatorCompiler, type Validator } from './validators.ts'

/** A tool as `tools/list` shows it. */
export interface ToolEntry {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Schema
  readonly outputSchema?: Schema
  readonly annotations: ToolAnnotations
}

/** A tool that is ready to be called. */
export interface Tool {
  /** The entry in a list without output schemas. */
  readonly entry: ToolEntry
  readonly operation: ExposedOperation
  readonly plan: ArgumentPlan
  /** The arguments that clients of the modern era repeat as headers. */
  readonly headerParameters: readonly HeaderParameter[]
  /** Creates the API request. Throws ArgumentError if the arguments fit the schema but no request can be built. */
  readonly createRequest: RequestFactory
  /** The questions that a person answers before the call, in this order. */
  readonly questions: readonly ElicitationQuestion[]
  readonly validateArguments: Validator
  /** Null if the operation may answer something else than JSON. */
  readonly outputSchemas: OutputSchemas | null
  /**
   * Returns the validator of structured content in an era, compiled at first use; null if the tool has no output
   * schema.
   */
  readonly validateOutput: (era: keyof OutputSchemas) => Validator | null
  /** Where answers have secrets; null if they have none. */
  readonly secrets: SecretPlaces | null
  /** The path of the resource that shows what a call started, with one variable; null if there is none. */
  readonly startedPath: string | null
}

/** An operation that answers the messages of a prompt. All its arguments are text. */
export interface PromptOperation {
  readonly entry: PromptEntry
  /** The allowed values of the arguments that have a fixed list. */
  readonly choices: ReadonlyMap<string, readonly string[]>
  readonly tool: Tool
}

/** The result of reading one version of the document. It never changes; a new document gives a new catalogue. */
export interface Catalogue {
  /** The operations that are tools, by name. */
  readonly tools: ReadonlyMap<string, Tool>
  /** The operations that are resources, as tools by name, for clients that read no resources. */
  readonly readTools: ReadonlyMap<string, Tool>
  /** The bridge's own tools, which are not operations, by name. */
  readonly ownTools: ReadonlyMap<string, OwnTool>
  readonly resources: ResourceIndex
  /** The prompts by name, in the order of their names. */
  readonly prompts: ReadonlyMap<string, PromptOperation>
  /** The path of the list of applications; null if the document has none. */
  readonly applicationsPath: string | null
  readonly server: ServerDescription
  /** The annotated operations that cannot be a tool, a resource or a prompt, in the order of the document. */
  readonly leftOut: readonly LeftOutOperation[]
}

/**
 * Reads a document into tools, resources and prompts. Operations that cannot be one are left out.
 * @param apiUrl the address of the API, without a slash at its end; the URIs of resources begin with it
 * @throws DocumentError if the document cannot be used at all
 */
export function readCatalogue(value: unknown, apiUrl: string): Catalogue {
  const steps = readCatalogueInSteps(value, apiUrl)
  for (;;) {
    const { done, value: catalogue } = steps.next()
    if (done) return catalogue
  }
}

/** Reads a document as `readCatalogue` does, and pauses after each operation, so that other work can come between. */
export function* readCatalogueInSteps(value: unknown, apiUrl: string): Generator<undefined, Catalogue> {
  const document = toApiDocument(showInvisibleTexts(value))
  const server = readServerDescription(document)
  const listed = listExposedOperations(document)
  const leftOut = [...listed.leftOut]
  const compile = createValidatorCompiler()
  const routes = createRoutes(document)
  const addresses = new ResourceIndex(document, [], apiUrl, routes.GET)
  const tools: Record<ExposedOperation['kind'], Tool[]> = { tool: [], resource: [], prompt: [] }
  const prompts: PromptOperation[] = []
  for (const operation of listed.operations) {
    const tool = catchLeftOut(operation, leftOut, () => {
      const made = {
        ...createTool(document, operation, addresses, compile, routes[operation.method]),
        secrets: findSecretPlaces(document, operation),
        startedPath: findStartedResource(document, operation, listed.operations),
      }
      if (operation.kind === 'prompt') prompts.push({ ...readPrompt(document, operation, made.plan), tool: made })
      return made
    })
    if (tool) tools[operation.kind].push(tool)
    yield
  }
  const operations = Object.values(tools)
    .flat()
    .map(({ operation }) => operation)
  const [first] = leftOut
  if (operations.length === 0 && first)
    throw new DocumentError(`none of its operations can be used: ${first.operation}: ${first.reason}`)
  const applicationsPath =
    operations.find(({ name, kind }) => name === applicationsOperationName && kind === 'resource')?.path ?? null
  const ownTools = applicationsPath === null ? [] : [createLookupTool(applicationsPath, compile)]
  const repeated = ownTools.find(({ entry }) => operations.some(({ name }) => name === entry.name))
  if (repeated) throw new DocumentError(`an operation is named ${repeated.entry.name}, as a tool of the bridge is`)
  return {
    tools: indexByName(tools.tool),
    readTools: indexByName(tools.resource),
    ownTools: indexByName(ownTools),
    resources: new ResourceIndex(document, operations, apiUrl, routes.GET),
    prompts: indexByName(prompts),
    applicationsPath,
    server,
    leftOut,
  }
}

const indexByName = <T extends { readonly entry: { readonly name: string } }>(
  all: readonly T[],
): ReadonlyMap<string, T> => new Map(all.map((one) => [one.entry.name, one]))

function createTool(
  document: ApiDocument,
  operation: ExposedOperation,
  resources: ResourceIndex,
  compile: ReturnType<typeof createValidatorCompiler>,
  routes: Routes<string>,
): Omit<Tool, 'secrets' | 'startedPath'> {
  const plan = planArguments(document, operation, (pointer) => resources.getSchemaAddress(pointer))
  const toolOutputSchemas = createOutputSchemas(document, operation)
  const { name, title, hints } = operation
  const entry = {
    name,
    title,
    description: formatDescription(operation, plan),
    inputSchema: plan.listedSchema,
    annotations: hints,
  }
  const formArguments = new Map(
    plan.bindings.filter(({ to }) => to !== 'path').map((binding) => createFormArgument(binding, plan)),
  )
  const outputValidators: Partial<Record<keyof OutputSchemas, Validator>> = {}
  const validateOutput = (era: keyof OutputSchemas) =>
    toolOutputSchemas === null ? null : (outputValidators[era] ??= compile(operation.name, toolOutputSchemas[era]))
  return {
    entry,
    operation,
    plan,
    headerParameters: findHeaderParameters(plan.inputSchema),
    createRequest: createRequestFactory(operation, plan, routes),
    questions: createQuestions(document, operation.questionDeclarations, formArguments, compile),
    validateArguments: compile('inputSchema', plan.inputSchema),
    outputSchemas: toolOutputSchemas,
    validateOutput,
  }
}

const createFormArgument = ({ argument, schema }: ArgumentBinding, { required }: ArgumentPlan) =>
  [argument, { schema, required: required.includes(argument) }] as const

function formatDescription(
  { kind, title, description, needsConfirmation, questionDeclarations }: ExposedOperation,
  { form, bulkArgument }: ArgumentPlan,
): string {
  const rules =
    form?.as === 'members' && Object.keys(form.rules).length > 0
      ? [`Rule of the body: ${JSON.stringify(form.rules)}.`]
      : []
  const elicitedNames = questionDeclarations.flatMap(({ members }) => members).join(', ')
  const questions = elicitedNames === '' ? [] : [`The user is asked for ${elicitedNames}.`]
  const irreversible = needsConfirmation ? ['Irreversible.'] : []
  const toolDescription = kind === 'tool' ? removeTitle(title, description) : description
  // In the argument's own description it would keep equal descriptions of filters apart.
  const bulk = bulkArgument === null ? [] : [`${bulkArgument}: [] means all.`]
  return [toolDescription, ...rules, ...bulk, ...questions, ...irreversible].join(' ')
}

/** Creates the routes of all paths of the document, including those that are not exposed. */
function createRoutes(document: ApiDocument): Record<HttpMethod, Routes<string>> {
  const routes = {
    GET: new Routes<string>(),
    POST: new Routes<string>(),
    PUT: new Routes<string>(),
    PATCH: new Routes<string>(),
    DELETE: new Routes<string>(),
  }
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of httpMethods)
      if (isRecord(item[method])) routes[method.toUpperCase() as HttpMethod].add(path, path)
  }
  return routes
}
