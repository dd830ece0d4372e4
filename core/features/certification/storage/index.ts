export { startContentMoves } from './ipfs.move.ts'
export { findContent, saveContent } from './ipfs.ts'
