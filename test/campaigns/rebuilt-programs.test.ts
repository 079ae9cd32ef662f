/** Programs of the alt chain, compiled from their committed C sources. Needs clang 19, which `.ci/run` installs. */
import { expect, it } from 'vitest';
import { buildProgram } from '../../devnet/alt-node/program/build.ts';
import { PROGRAM_NAMES, readProgram } from '../../devnet/alt-node/program/programs.ts';

it.each(PROGRAM_NAMES)('rebuilds %s with the committed bytes', (name) => {
  expect(buildProgram(name).equals(readProgram(name))).toBe(true);
});
