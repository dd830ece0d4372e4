/** A greyscale image with one byte per pixel; 0 is black. */
export interface GreyImage {
  width: number
  height: number
  data: Uint8ClampedArray
}

/**
 * Scales an image and rotates it about its centre, with bilinear interpolation and a white background: as a camera sees
 * it that is nearer or farther and not held straight.
 * @param angle in degrees
 */
export function scaleImage({ width, height, data }: GreyImage, factor: number, angle = 0): GreyImage {
  const [wide, high] = [Math.round(width * factor), Math.round(height * factor)]
  const made = new Uint8ClampedArray(wide * high)
  const [cos, sin] = [Math.cos((angle * Math.PI) / 180) / factor, Math.sin((angle * Math.PI) / 180) / factor]
  const at = (x: number, y: number) =>
    x < 0 || y < 0 || x >= width || y >= height ? 255 : (data[y * width + x] ?? 255)
  for (let y = 0; y < high; y++) {
    for (let x = 0; x < wide; x++) {
      const [alongX, alongY] = [x + 0.5 - wide / 2, y + 0.5 - high / 2]
      const [fromX, fromY] = [
        cos * alongX + sin * alongY + width / 2 - 0.5,
        cos * alongY - sin * alongX + height / 2 - 0.5,
      ]
      const [left, top] = [Math.floor(fromX), Math.floor(fromY)]
      const [right, down] = [fromX - left, fromY - top]
      const upper = at(left, top) * (1 - right) + at(left + 1, top) * right
      const lower = at(left, top + 1) * (1 - right) + at(left + 1, top + 1) * right
      made[y * wide + x] = upper * (1 - down) + lower * down
    }
  }
  return { width: wide, height: high, data: made }
}

/** Blurs an image: each pixel becomes the mean of the square around it. @param radius pixels to each side */
export function blurImage(picture: GreyImage, radius: number): GreyImage {
  const turned = averageRows(picture, radius)
  return averageRows(turned, radius)
}

/** Averages along the rows and swaps rows and columns. */
function averageRows({ width, height, data }: GreyImage, radius: number): GreyImage {
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
