/** An API with what the conformance suite asks of a server: its tools, resources and prompts, as operations. */

type Json = Record<string, unknown>

const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

const hints = (readOnlyHint: boolean) => ({
  readOnlyHint,
  destructiveHint: false,
  idempotentHint: readOnlyHint,
  openWorldHint: false,
})

const operation = (name: string, kind: 'tool' | 'resource' | 'prompt', responses: Json, more: Json): Json => ({
  operationId: `${name}_v1`,
  summary: `Answers ${name.replaceAll('_', ' ')}`,
  'x-mcp-type': kind,
  'x-mcp-name': name,
  'x-mcp-hints': hints(kind !== 'tool'),
  responses,
  ...more,
})

const answers = (mediaType: string, schema: Json = {}) => ({
  200: { description: 'Done.', content: { [mediaType]: { schema } } },
})
const text = answers('text/plain')
const object = answers('application/json', { type: 'object' })
const started = {
  202: {
    description: 'Begun.',
    content: {
      'application/json': {
        schema: { type: 'object', required: ['jobId'], properties: { jobId: { type: 'string' } } },
      },
    },
  },
}

const jsonBody = (schema: Json): Json => ({ required: true, content: { 'application/json': { schema } } })

/** A closed object with these members, all of them required. */
const body = (properties: Record<string, Json>): Json => ({
  requestBody: jsonBody({ type: 'object', properties, required: Object.keys(properties), additionalProperties: false }),
})

const round = (key: string, message: string, members: readonly string[]) => ({ key, message, members })
const asks = (...rounds: ReturnType<typeof round>[]) => ({ 'x-mcp-ask': rounds })
const requires = (capabilities: Json) => ({ 'x-mcp-requires': capabilities })
const string = { type: 'string' }

/** Members that a person gives, the body's only ones. */
const createAsk = (key: string, message: string, properties: Record<string, Json>): Json => ({
  ...body(properties),
  ...asks(round(key, message, Object.keys(properties))),
})

/** Rules between members, as JSON Schema 2020-12 has them. */
const conditional = {
  type: 'object',
  properties: {
    name: string,
    address: { $anchor: 'addressDef', type: 'object', properties: { street: string, city: string } },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: string,
    email: string,
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

const titled = (word: string) => [
  { const: 'value1', title: `First ${word}` },
  { const: 'value2', title: `Second ${word}` },
  { const: 'value3', title: `Third ${word}` },
]
const untitled = { type: 'string', enum: ['option1', 'option2', 'option3'] }

const name = { name: string }
const inputs = 'test_input_required_result_'

/** By the name of the tool, which is the path as well. */
const tools: Record<string, { responses: Json; more?: Json }> = {
  test_simple_text: { responses: text },
  test_image_content: { responses: answers('image/png') },
  test_audio_content: { responses: answers('audio/wav') },
  test_embedded_resource: { responses: answers('application/octet-stream') },
  test_multiple_content_types: { responses: answers('multipart/mixed') },
  test_tool_with_logging: { responses: text },
  test_logging_tool: { responses: text },
  test_error_handling: { responses: object },
  test_tool_with_progress: { responses: started },
  test_sampling: { responses: text, more: { ...body({ prompt: string }), ...requires({ sampling: {} }) } },
  test_missing_capability: { responses: text, more: requires({ sampling: {} }) },
  test_elicitation: {
    responses: text,
    more: {
      ...body({
        message: string,
        username: { type: 'string', description: 'Name of the user.' },
        email: { type: 'string', description: 'E-mail address of the user.' },
      }),
      ...asks(round('user', 'Please give your name and address.', ['username', 'email'])),
    },
  },
  test_streaming_elicitation: { responses: text, more: createAsk('user_name', 'What is your name?', name) },
  test_elicitation_sep1034_defaults: {
    responses: text,
    more: createAsk('profile', 'Please look through your profile.', {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  },
  test_elicitation_sep1330_enums: {
    responses: text,
    more: createAsk('choices', 'Please choose.', {
      untitledSingle: untitled,
      titledSingle: { type: 'string', oneOf: titled('Option') },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: untitled },
      titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
    }),
  },
  [`${inputs}elicitation`]: { responses: text, more: createAsk('user_name', 'What is your name?', name) },
  [`${inputs}sampling`]: { responses: text, more: requires({ sampling: {} }) },
  [`${inputs}list_roots`]: { responses: text, more: requires({ roots: {} }) },
  [`${inputs}request_state`]: {
    responses: text,
    more: createAsk('approval', 'Please confirm.', { ok: { type: 'boolean' } }),
  },
  [`${inputs}multiple_inputs`]: {
    responses: text,
    more: { ...createAsk('user_name', 'What is your name?', name), ...requires({ sampling: {}, roots: {} }) },
  },
  [`${inputs}multi_round`]: {
    responses: text,
    more: {
      ...body({ name: string, color: string }),
      ...asks(
        round('step1', 'Step 1: What is your name?', ['name']),
        round('step2', 'Step 2: What is your favorite color?', ['color']),
      ),
    },
  },
  [`${inputs}tampered_state`]: {
    responses: text,
    more: createAsk('approval', 'Please confirm.', { ok: { type: 'boolean' } }),
  },
  [`${inputs}capabilities`]: { responses: text, more: createAsk('user_name', 'What is your name?', name) },
  test_custom_header: { responses: text, more: body({ region: { type: 'string', 'x-mcp-header': 'Region' } }) },
  json_schema_2020_12_tool: { responses: text, more: { requestBody: jsonBody(conditional) } },
  greet: { responses: text, more: body({ name: string }) },
  slow_compute: { responses: started, more: body({ seconds: { type: 'number', minimum: 0 }, label: string }) },
  failing_job: { responses: started, more: requires(tasks) },
  protocol_error_job: { responses: started },
  confirm_delete: { responses: started, more: body({ filename: string }) },
  multi_input: { responses: started },
  test_tool_with_task: { responses: started, more: createAsk('user_name', 'What is your name?', name) },
}

const query = (names: readonly string[]) => ({
  parameters: names.map((one) => ({
    name: one,
    in: 'query',
    required: true,
    description: `What ${one} is.`,
    schema: string,
  })),
})

/** By the name of the prompt, which is the path as well. */
const prompts: Record<string, Json> = {
  test_simple_prompt: {},
  test_prompt_with_arguments: query(['arg1', 'arg2']),
  test_prompt_with_embedded_resource: query(['resourceUri']),
  test_prompt_with_image: {},
  [`${inputs}prompt`]: { ...query(['context']), ...asks(round('context', 'What is it about?', ['context'])) },
}

const inPath = (one: string) => ({ parameters: [{ name: one, in: 'path', required: true, schema: string }] })

const resources: Record<string, Json> = {
  '/static-text': operation('read_static_text', 'resource', text, {}),
  '/static-binary': operation('read_static_binary', 'resource', answers('image/png'), {}),
  '/template/{id}/data': operation('read_template_data', 'resource', object, inPath('id')),
  '/v1/jobs/{jobId}': operation('get_job', 'resource', object, inPath('jobId')),
}

export const conformanceDocument: Json = {
  openapi: '3.1.0',
  info: { title: 'What the conformance suite asks for', version: '1' },
  paths: Object.fromEntries([
    ...Object.entries(tools).map(([tool, { responses, more }]) => [
      `/v1/tools/${tool}`,
      { post: operation(tool, 'tool', responses, more ?? {}) },
    ]),
    ...Object.entries(prompts).map(([prompt, more]) => [
      `/v1/prompts/${prompt}`,
      { get: operation(prompt, 'prompt', object, more) },
    ]),
    ...Object.entries(resources).map(([path, get]) => [path, { get }]),
  ]),
}

export const getToolPath = (tool: string) => `/v1/tools/${tool}`
export const getPromptPath = (prompt: string) => `/v1/prompts/${prompt}`
