import { expect } from 'chai'
import { decode } from 'fast-png'

/** The image as a scanner sees it, one byte a pixel and channel. */
export function readQrPixels(png: Uint8Array) {
  const { width, height, depth, data } = decode(png)
  expect(depth).to.equal(1)
  const stride = Math.ceil(width / 8)
  const light = (x: number, y: number) => ((data[y * stride + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1
  const rgb = new Uint8Array(width * height * 3)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rgb.fill(light(x, y) * 255, (y * width + x) * 3, (y * width + x) * 3 + 3)
  return { width, height, data: rgb, light }
}

/** Draws the modules of a code, 4 pixels each, from the only path that has any. */
export function drawQrPaths(svg: string) {
  const side = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1])
  const width = side * 4
  const data = new Uint8Array(width * width * 3).fill(255)
  for (const [, x, y, length] of svg.slice(svg.lastIndexOf('<path')).matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g)) {
    for (let row = Number(y) * 4; row < Number(y) * 4 + 4; row++) {
      data.fill(0, (row * width + Number(x) * 4) * 3, (row * width + (Number(x) + Number(length)) * 4) * 3)
    }
  }
  return { width, height: width, data }
}
