import { readBody, readVerifiedContent } from './ipfs.body.ts'

/** Limits for adding content: milliseconds, and bytes of the answer. */
const kuboLimits = { timeoutMs: 10_000, maxAnswerBytes: 64 * 1024 }

/** Parameters with which a node splits content as we do, so that it computes the same identifier. */
const addParameters = 'cid-version=1&raw-leaves=true&chunker=size-262144&pin=true'

/**
 * The error of an IPFS node that does not accept content at present. The message is for the log and names no address.
 */
export class IpfsUnreachableError extends Error {
  override name = 'IpfsUnreachableError'
}

/**
 * Adds content to an IPFS node and pins it there. The operator's address may contain a user name and a password.
 * @param cid the identifier that the node must answer
 * @throws IpfsUnreachableError if the node is unreachable, refuses the content, or answers another identifier
 * Source: Kubo RPC API, `/api/v0/add`.
 */
export async function addToKubo(api: string, cid: string, bytes: Uint8Array): Promise<void> {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(bytes)], { type: 'application/octet-stream' }), cid)
  try {
    const answer = await callKubo(api, `add?${addParameters}`, {
      body: form,
      signal: AbortSignal.timeout(kuboLimits.timeoutMs),
    })
    const text = answer.body ? (await readBody(kuboLimits.maxAnswerBytes, answer.body)).toString('utf8') : ''
    if (!answer.ok) throw new Error(`the node answers ${answer.status}`)
    if (!parseHashes(text).includes(cid)) throw new Error('the node names the content otherwise')
  } catch (cause) {
    throw new IpfsUnreachableError('The IPFS node does not keep content at present', { cause })
  }
}

/**
 * Reads content from an IPFS node and checks it against its identifier. The node searches its network for content that
 * it does not have.
 * @throws Error if the node is unreachable, does not find the content, or answers other content
 * Source: Kubo RPC API, `/api/v0/cat`.
 */
export async function readFromKubo(api: string, cid: string, signal: AbortSignal): Promise<Buffer> {
  return readVerifiedContent(await callKubo(api, `cat?arg=${cid}`, { signal }), cid, 'IPFS node')
}

/**
 * Calls the node. Sends user name and password in a header, because `fetch` rejects them in an address. Source: RFC
 * 7617.
 */
async function callKubo(api: string, command: string, init: Pick<RequestInit, 'body' | 'signal'>): Promise<Response> {
  const address = new URL(`${api.replace(/\/+$/, '')}/api/v0/${command}`)
  const { username, password } = address
  address.username = address.password = ''
  const credential = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  const hasCredentials = username !== '' || password !== ''
  const headers = hasCredentials ? { authorization: `Basic ${credential}` } : undefined
  return fetch(address, { ...init, method: 'POST', redirect: 'error', ...(headers && { headers }) })
}

/** Parses the answer, which has one JSON object per line for each file. */
const parseHashes = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => (JSON.parse(line) as { Hash?: unknown }).Hash)
