import { findPackagedContext } from '../../../core/features/certification/contexts/contexts.packaged.ts'

/** Loads the contexts of W3C that the product knows at these addresses, for the document loader of another library. */
export async function loadPackagedContexts(addresses: readonly string[]): Promise<Record<string, object>> {
  const entries = await Promise.all(
    addresses.map(async (address) => {
      const context = await findPackagedContext(address)
      if (!context) throw new Error(`The context ${address} is not packaged`)
      return [address, context] as const
    }),
  )
  return Object.fromEntries(entries)
}
