/** A picture in grey, one byte a pixel: 0 is dark. */
export interface Grey { width: number; height: number; data: Uint8ClampedArray }

/**
 * The picture in another size and turned about its middle, bilinear between its pixels, light around: as a camera sees
 * it that is nearer or farther and not held straight. @param angle in degrees
 */
export function scaled({ width, height, data }: Grey, factor: number, angle = 0): Grey {
  const [wide, high] = [Math.round(width * factor), Math.round(height * factor)]
  const made = new Uint8ClampedArray(wide * high)
  const [cos, sin] = [Math.cos(angle * Math.PI / 180) / factor, Math.sin(angle * Math.PI / 180) / factor]
  const at = (x: number, y: number) => x < 0 || y < 0 || x >= width || y >= height ? 255 : data[y * width + x] ?? 255
  for (let y = 0; y < high; y++) {
    for (let x = 0; x < wide; x++) {
      const [alongX, alongY] = [x + 0.5 - wide / 2, y + 0.5 - high / 2]
      const [fromX, fromY] = [cos * alongX + sin * alongY + width / 2 - 0.5, cos * alongY - sin * alongX + height / 2 - 0.5]
      const [left, top] = [Math.floor(fromX), Math.floor(fromY)]
      const [right, down] = [fromX - left, fromY - top]
      const upper = at(left, top) * (1 - right) + at(left + 1, top) * right
      const lower = at(left, top + 1) * (1 - right) + at(left + 1, top + 1) * right
      made[y * wide + x] = upper * (1 - down) + lower * down
    }
  }
  return { width: wide, height: high, data: made }
}

/** The picture out of focus: each pixel the mean of the square around it. @param radius pixels to each side */
export function blurred(picture: Grey, radius: number): Grey {
  const turned = meanOfRows(picture, radius)
  return meanOfRows(turned, radius)
}

/** The means along its rows, with rows and columns changed. */
function meanOfRows({ width, height, data }: Grey, radius: number): Grey {
  const made = new Uint8ClampedArray(width * height)
  const span = radius * 2 + 1
  for (let y = 0; y < height; y++) {
    const at = (x: number) => data[y * width + Math.min(Math.max(x, 0), width - 1)] ?? 0
    let sum = 0
    for (let x = -radius; x <= radius; x++) sum += at(x)
    for (let x = 0; x < width; x++) {
      made[x * height + y] = sum / span
      sum += at(x + radius + 1) - at(x - radius)
    }
  }
  return { width: height, height: width, data: made }
}
