import type { operations } from 'tessera-operations'

/**
 * A client of the functions that oazapfts wrote, called as openapi-fetch is called. `tessera-operations` names the
 * function of every method and path, and says for each of its arguments where it stands in a request and under which
 * name. The types below read the other way: what a call may say is what the parameters of that function accept, and
 * what it is answered is what the function promises. Nothing here has types of its own about an operation.
 */

type Operations = typeof operations
type Call = keyof Operations
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type PathOf<M extends Method, C = Call> = C extends `${M} ${infer Path}` ? Path : never
type At<M extends Method, Path extends string> = Operations[Extract<`${M} ${Path}`, Call>]

type Place = 'path' | 'query' | 'header' | 'body'
/** A function that oazapfts wrote, and the name in the request of each of its arguments. */
interface Operation {
  run(...given: never[]): Promise<{ status: number }>
  takes: Readonly<Record<Place, Readonly<Record<string, string>>>>
}
type Arguments<O extends Operation> = Parameters<O['run']>[0]

/** The arguments that stand in one place of the request, by the names they have there. */
type In<O extends Operation, P extends Place> = {
  [A in keyof Arguments<O> as A extends keyof O['takes'][P] ? Extract<O['takes'][P][A], string> : never]: Arguments<O>[A]
}
/** A member that may be left out where all within it may be, and must be where there is nothing. */
type Member<K extends string, T> =
  keyof T extends never ? { [name in K]?: never } : {} extends T ? { [name in K]?: T } : { [name in K]: T }

type Params<O extends Operation> = Member<'path', In<O, 'path'>> & Member<'query', In<O, 'query'>> & Member<'header', In<O, 'header'>>
type Body<O extends Operation> = keyof In<O, 'body'> extends never ? { body?: never } : In<O, 'body'>
type Init<O extends Operation> = Body<O> & Member<'params', Params<O>> & {
  headers?: Record<string, string>
  /** An answer that is not JSON is a text in any case. */
  parseAs?: 'text'
}
/** Only answers of these have data: oazapfts types those of all statuses. */
type Data<O extends Operation> = Extract<Awaited<ReturnType<O['run']>>, { status: 200 | 201 | 202; data: unknown }>['data']

/** What a call of oazapfts answers, with the response that it read. */
export interface CallResult<T> { data?: T; error?: unknown; response: Response }

type Run<M extends Method> = <Path extends PathOf<M>>(
  path: Path,
  ...init: {} extends Init<At<M, Path>> ? [Init<At<M, Path>>?] : [Init<At<M, Path>>]
) => Promise<CallResult<Data<At<M, Path>>>>

type Mutable<T> = { -readonly [K in keyof T]: Mutable<T[K]> }

export type Client = { [M in Method]: Run<M> } & {
  /** Returns filters or sorters as they are: oazapfts writes the JSON text. */
  toQuery<const T extends readonly object[]>(list: T): Mutable<T>
}

interface GivenInit {
  params?: Partial<Record<Place, Record<string, unknown>>>
  body?: unknown
  headers?: Record<string, string>
}
interface GivenOperation {
  run(...given: object[]): Promise<{ data?: unknown }>
  takes: Record<Place, Record<string, string>>
}
interface Target {
  baseUrl: string
  operations: Record<string, GivenOperation>
  /** Takes note of every answer, by method and path as the document has them. */
  recordAnswer(call: string, status: number): void
}

/** Creates a client of the functions of a module, each of which gets one object, and the options of the request. */
export function createTypedClient({ baseUrl, operations, recordAnswer }: Target, headers: Record<string, string>): Client {
  const createRun = (method: Method) => async (path: string, init: GivenInit = {}) => {
    const call = `${method} ${path}`
    const operation = operations[call]
    if (operation === undefined) throw new Error(`oazapfts wrote no function for ${call}`)
    let response: Response | undefined
    const options = {
      baseUrl,
      headers: { ...headers, ...init.headers },
      async fetch(address: string, request: RequestInit) {
        assertSent(path, address, method, request.method)
        return (response = await fetch(address, request))
      },
    }
    const given = gatherArguments(operation, init)
    const { data } = await operation.run(...(given ? [given] : []), options)
    if (response === undefined) throw new Error(`${call} was not sent`)
    recordAnswer(call, response.status)
    return response.ok ? { data, response } : { error: data, response }
  }
  const client = {
    GET: createRun('GET'),
    POST: createRun('POST'),
    PUT: createRun('PUT'),
    PATCH: createRun('PATCH'),
    DELETE: createRun('DELETE'),
    toQuery: (list: readonly object[]) => list,
  }
  // The functions are found by their names here, so only the type that the caller sees says what each of them takes.
  return client as unknown as Client
}

/** Gathers the one object of a function. @returns undefined for a function that takes none */
function gatherArguments({ takes }: GivenOperation, { params = {}, body }: GivenInit): object | undefined {
  const given: GivenInit['params'] = { ...params, body: { body } }
  const found = (['path', 'query', 'header', 'body'] as const).flatMap((place) =>
    Object.entries(takes[place]).map(([argument, name]) => [argument, given[place]?.[name]] as const),
  )
  return found.length === 0 ? undefined : Object.fromEntries(found.filter(([, value]) => value !== undefined))
}

/** Asserts that a request is of the operation for which its answer is counted. */
function assertSent(path: string, address: string, method: string, sent = 'GET'): void {
  const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  if (sent !== method || !pattern.test(new URL(address).pathname))
    throw new Error(`${method} ${path} was sent as ${sent} ${address}`)
}
