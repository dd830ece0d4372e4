import { bodyUpTo, contentIn } from './ipfs.body.ts'

/** Milliseconds to add content, and bytes of the answer. */
const limits = { patience: 10_000, most: 64 * 1024 }

/** With these a node cuts content as we do, so that its identifier is ours. */
const settings = 'cid-version=1&raw-leaves=true&chunker=size-262144&pin=true'

/** The operator's IPFS node does not keep content at present. The message is for the log; it names no address. */
export class IpfsUnreachable extends Error {
  override name = 'IpfsUnreachable'
}

/**
 * Adds content to an IPFS node and pins it there. The address is the operator's, and may carry a name and a password.
 * @param cid what the node has to answer. @throws IpfsUnreachable when it is away, refuses, or answers another one
 * Source: Kubo RPC API, `/api/v0/add`.
 */
export async function addToKubo(api: string, cid: string, bytes: Uint8Array): Promise<void> {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(bytes)], { type: 'application/octet-stream' }), cid)
  try {
    const answer = await call(api, `add?${settings}`, { body: form, signal: AbortSignal.timeout(limits.patience) })
    const text = answer.body ? (await bodyUpTo(limits.most, answer.body)).toString('utf8') : ''
    if (!answer.ok) throw new Error(`the node answers ${answer.status}`)
    if (!namesOf(text).includes(cid)) throw new Error('the node names the content otherwise')
  } catch (cause) {
    throw new IpfsUnreachable('The IPFS node does not keep content at present', { cause })
  }
}

/**
 * Content from an IPFS node, held against its identifier. What the node has not got itself it looks for in its network.
 * @throws Error where the node is out of reach, does not find it, or answers something else
 * Source: Kubo RPC API, `/api/v0/cat`.
 */
export async function readFromKubo(api: string, cid: string, signal: AbortSignal): Promise<Buffer> {
  return contentIn(await call(api, `cat?arg=${cid}`, { signal }), cid, 'IPFS node')
}

/** Credentials go into a header, as `fetch` takes none in an address. Source: RFC 7617. */
async function call(api: string, command: string, init: Pick<RequestInit, 'body' | 'signal'>): Promise<Response> {
  const address = new URL(`${api.replace(/\/+$/, '')}/api/v0/${command}`)
  const { username, password } = address
  address.username = address.password = ''
  const credential = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  const named = username !== '' || password !== ''
  const headers = named ? { authorization: `Basic ${credential}` } : undefined
  return fetch(address, { ...init, method: 'POST', redirect: 'error', ...(headers && { headers }) })
}

/** One JSON object a line, one a file. */
const namesOf = (text: string): unknown[] =>
  text.split('\n').filter((line) => line.trim() !== '').map((line) => (JSON.parse(line) as { Hash?: unknown }).Hash)
