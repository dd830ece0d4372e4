/** The document of a small API that has one operation of every shape that the bridge supports. */

type Json = Record<string, unknown>

const createHints = (
  readOnlyHint: boolean,
  destructiveHint = false,
  idempotentHint = readOnlyHint,
  openWorldHint = false,
) => ({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint })

const createRef = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const createJsonContent = (schema: Json, type = 'application/json') => ({ content: { [type]: { schema } } })
const createOkResponse = (schema: Json) => ({ 200: { description: 'Done.', ...createJsonContent(schema) } })
const accepted = { 202: { description: 'Begun.', ...createJsonContent(createRef('Started')) } }
const uuid = { type: 'string', format: 'uuid' }
const id = { name: 'id', in: 'path', required: true, schema: { ...uuid, description: 'Id of the widget.' } }
const anyId = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }

const condition = {
  type: 'object',
  required: ['operator'],
  properties: {
    field: { type: 'string', enum: ['status', 'createdAt'] },
    operator: { type: 'string', enum: ['eq', 'ne', 'gt', 'or', 'and'] },
    value: {},
  },
}
const sorter = {
  type: 'object',
  required: ['field'],
  properties: {
    field: { type: 'string', enum: ['createdAt', 'name'] },
    order: { type: 'string', enum: ['asc', 'desc'] },
  },
}

/** The parameters of lists: filters as our document declares them, sorters as other documents do. */
const listParameters = [
  { name: 'currentPage', in: 'query', schema: { type: 'integer', minimum: 1, default: 1 } },
  { name: 'pageSize', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 10 } },
  {
    name: 'filters',
    in: 'query',
    description: 'What the rows must have.',
    content: { 'application/json': { schema: { type: 'array', maxItems: 50, items: condition } } },
  },
  {
    name: 'sorters',
    in: 'query',
    style: 'deepObject',
    explode: true,
    schema: { type: 'array', maxItems: 5, items: sorter },
  },
]

function createResource(name: string, responses: Json, more: Json = {}): Json {
  return {
    get: {
      operationId: `${name}_v1`,
      summary: `Read ${name}`,
      'x-mcp-type': 'resource',
      'x-mcp-name': name,
      'x-mcp-hints': createHints(true),
      responses,
      ...more,
    },
  }
}

function createTool(method: string, name: string, responses: Json, more: Json = {}): Json {
  const ownHints = createHints(method === 'get', method === 'delete', method !== 'post')
  return {
    [method]: {
      operationId: `${name}_v1`,
      summary: `Do ${name}`,
      'x-mcp-type': 'tool',
      'x-mcp-name': name,
      'x-mcp-hints': ownHints,
      responses,
      ...more,
    },
  }
}

const createBody = (schema: Json, required = true) => ({ requestBody: { required, ...createJsonContent(schema) } })

const widgetPaths = {
  '/v1/widgets': {
    ...createResource('list_widgets', createOkResponse(createRef('WidgetList')), { parameters: listParameters }),
    ...createTool(
      'post',
      'create_widget',
      { 201: { description: 'Made.', ...createJsonContent(createRef('Widget')) } },
      createBody(createRef('NewWidget')),
    ),
  },
  '/v1/widgets/stats': createResource('get_widgets_stats', createOkResponse({ type: 'object' })),
  '/v1/widgets/secret': { get: { operationId: 'get_secret_v1', responses: createOkResponse({ type: 'object' }) } },
  '/v1/widgets/publish': createTool('post', 'publish_widgets', accepted, {
    parameters: [
      ...listParameters,
      { name: 'tags', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
    ],
    'x-mcp-confirm': true,
  }),
  '/v1/widgets/{id}': {
    parameters: [anyId, { name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } }],
    ...createResource('get_widget', createOkResponse(createRef('Widget'))),
    ...createTool('patch', 'update_widget', createOkResponse(createRef('Widget')), {
      ...createBody(createRef('WidgetChange')),
      parameters: [{ name: 'name', in: 'query', schema: { type: 'string' } }],
    }),
    ...createTool('delete', 'delete_widget', createOkResponse(createRef('Widget')), { 'x-mcp-confirm': true }),
  },
  '/v1/widgets/{id}/stats': createResource('get_widget_stats', createOkResponse({ type: 'object' }), {
    parameters: [anyId],
  }),
  '/v1/widgets/{id}/token': createTool('get', 'get_widget_token', createOkResponse({ type: 'string' }), {
    parameters: [id],
  }),
  '/v1/widgets/{id}/mint': createTool('post', 'mint_widget', accepted, {
    parameters: [id],
    ...createBody({ type: 'array', minItems: 1, items: createRef('Unit') }),
  }),
  '/v1/widgets/{id}/image': createResource(
    'get_widget_image',
    { 200: { description: 'It.', content: { 'image/png': {}, 'image/svg+xml': {} } } },
    { parameters: [anyId, { name: 'format', in: 'query', schema: { enum: ['png', 'svg'] } }] },
  ),
  '/v1/widgets/{id}/log': createResource(
    'get_widget_log',
    { 200: { description: 'Rows.', content: { 'text/csv': {} } } },
    { parameters: [anyId] },
  ),
}

const otherPaths = {
  '/v1/echo': createTool('post', 'echo', createOkResponse({ type: 'object' }), { ...createBody(createRef('Echo')) }),
  '/v1/draw': createTool('post', 'draw', { 200: { description: 'It.', content: { 'image/png': {} } } }),
  '/v1/pack': createTool('post', 'pack', { 200: { description: 'It.', content: { 'application/zip': {} } } }),
  '/v1/table': createTool('post', 'table', { 200: { description: 'Rows.', content: { 'text/csv': {} } } }),
  '/v1/forget': createTool(
    'post',
    'forget',
    { 204: { description: 'Done.' } },
    createBody({ type: 'object', properties: { all: { type: 'boolean' } }, additionalProperties: false }, false),
  ),
  '/v1/check': createTool(
    'post',
    'check',
    createOkResponse({ type: 'array', items: { type: 'integer' } }),
    createBody({ type: 'object', description: 'Any credential.' }),
  ),
  '/v1/note': createTool('post', 'note', createOkResponse({ type: 'object' }), {
    requestBody: { required: true, content: { 'text/plain': { schema: { type: 'string' } } } },
  }),
  '/v1/upload': createTool('post', 'upload', createOkResponse({ type: 'object' }), {
    requestBody: { required: true, content: { 'application/pdf': {} } },
  }),
  '/v1/wait': createTool('post', 'wait', createOkResponse({ type: 'object' })),
  '/v1/refuse': createTool(
    'post',
    'refuse',
    createOkResponse({ type: 'object' }),
    createBody({
      type: 'object',
      required: ['as'],
      properties: { as: { type: 'string' } },
      additionalProperties: false,
    }),
  ),
  '/v1/jobs/{id}': createResource('get_job', createOkResponse({ type: 'object' }), { parameters: [anyId] }),
  '/v1/jobs/{id}/sse': {
    get: {
      operationId: 'follow_job_v1',
      parameters: [anyId],
      responses: { 200: { description: 'Events.', content: { 'text/event-stream': {} } } },
    },
  },
  '/v1/llm/chat': createTool('post', 'chat', createOkResponse({ type: 'object' })),
}

/** A nested object with more than 8 members, most of them in its children. */
const bigThing = {
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 1 },
    ...Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`member${index}`, { type: 'string' }])),
    size: createRef('Size'),
    weight: createRef('Size'),
    maker: {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`fact${index}`, { type: 'string' }])),
    },
  },
}

const schemas = {
  Size: {
    type: 'object',
    required: ['value'],
    properties: { value: { type: 'number' }, unit: { type: 'string' } },
    additionalProperties: false,
  },
  Part: {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, parts: { type: 'array', items: createRef('Part') } },
    additionalProperties: false,
  },
  BigThing: bigThing,
  Maker: {
    type: 'object',
    properties: { $ref: { type: 'string', description: 'A member of this name.' } },
    additionalProperties: false,
  },
  NewWidget: {
    type: 'object',
    required: ['name', 'status'],
    additionalProperties: false,
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 200, description: 'Shown to people.' },
      status: { enum: ['draft', 'published'] },
      inner: createRef('Size'),
      outer: createRef('Size'),
      part: createRef('Part'),
      maker: createRef('Maker'),
      thing: { anyOf: [createRef('BigThing'), { type: 'null' }] },
      fields: { type: 'object', additionalProperties: true },
    },
  },
  WidgetChange: {
    allOf: [
      { type: 'object', properties: { name: { type: 'string' } } },
      {
        type: 'object',
        properties: { id: { type: 'string' }, note: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
        minProperties: 1,
      },
    ],
  },
  Widget: {
    type: 'object',
    required: ['id', 'name'],
    properties: { id: uuid, name: { type: 'string' }, part: createRef('Part') },
  },
  WidgetList: {
    type: 'object',
    required: ['data', 'total'],
    properties: { data: { type: 'array', items: createRef('Widget') }, total: { type: 'integer' } },
  },
  Unit: {
    type: 'object',
    required: ['serial'],
    properties: { serial: { type: 'string' } },
    additionalProperties: false,
  },
  Started: {
    type: 'object',
    required: ['jobId'],
    properties: { jobId: { type: 'string' }, matched: { type: 'integer' } },
  },
  Echo: {
    type: 'object',
    required: ['value'],
    properties: { value: { type: 'string' }, delay: { type: 'integer' } },
    additionalProperties: false,
  },
}

/** Creates a new copy of the document, so that a test may change it. */
export function createBridgeDocument(): Json & {
  paths: Record<string, Json>
  components: { schemas: Record<string, Json> }
} {
  return structuredClone({
    openapi: '3.1.0',
    info: { title: 'Widgets', version: '1' },
    'x-mcp-server': { instructions: 'Widgets are made and read here.', prompts: ['prepare_demo_environment'] },
    paths: { ...widgetPaths, ...otherPaths },
    components: { schemas },
  })
}
