/** The parts of a JSON ABI entry that its human-readable form keeps. */
export interface AbiEntry {
  type: string
  name?: string
  inputs?: AbiParameter[]
  outputs?: AbiParameter[]
  stateMutability?: string
}

interface AbiParameter {
  name: string
  type: string
  indexed?: boolean
}

/** Formats a TypeScript module with the ABI in human-readable form, which is short to read and typed by viem. */
export function formatAbiModule(name: string, { contract, abi }: { contract: string; abi: AbiEntry[] }): string {
  const lines = abi
    .map(formatAbiEntry)
    .toSorted()
    .map((line) => `  '${line}',\n`)
  return `import { parseAbi } from 'viem'

/** Interface of \`${contract}.sol\`. Written by \`npm run contracts\`. */
export const ${name} = parseAbi([
${lines.join('')}])
`
}

function formatAbiEntry({ type, name, inputs = [], outputs = [], stateMutability }: AbiEntry): string {
  if (type === 'receive') return 'receive() external payable'
  const signature = `${name === undefined ? type : `${type} ${name}`}(${inputs.map(formatParameter).join(', ')})`
  const mutability = type === 'function' && stateMutability !== 'nonpayable' ? ` ${stateMutability}` : ''
  const returns = outputs.length > 0 ? ` returns (${outputs.map(formatParameter).join(', ')})` : ''
  return `${signature}${mutability}${returns}`
}

function formatParameter({ type, name, indexed }: AbiParameter): string {
  if (type.startsWith('tuple')) throw new Error(`The ABI writer knows no structs: ${name}`)
  return [type, indexed === true ? 'indexed' : '', name].filter((word) => word !== '').join(' ')
}
