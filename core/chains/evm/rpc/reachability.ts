/**
 * Checks whether a node answers within 2 s. The check does not use the chain's SDK, so that a process that only checks
 * need not load the SDK.
 */
export async function isEvmNodeReachable(rpcUrl: string): Promise<boolean> {
  try {
    const answer = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
      signal: AbortSignal.timeout(2_000),
    })
    const { result } = (await answer.json()) as { result?: unknown }
    return typeof result === 'string'
  } catch {
    return false
  }
}
