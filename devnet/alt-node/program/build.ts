/**
 * Builds the programs of the alt chain: `node devnet/alt-node/program/build.ts` compiles each with clang 19 and links it with the linker in
 * this folder. The output is committed, so that the devnet runs without clang.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatHashes, HASHES_FILE, PROGRAM_NAMES, programFile } from './programs.ts';
import type { ProgramName } from './programs.ts';
import { linkProgram } from './sbpf-linker.ts';

const COMPILER = 'clang-19';

/** sBPF version 0 has the first instruction set of BPF, no jump tables, and frames of 4,096 bytes. */
const FLAGS = [
  ...['-target', 'bpf', '-mcpu=v1', '-O2', '-fno-builtin', '-ffreestanding', '-fno-jump-tables'],
  ...['-mllvm', '-bpf-stack-size=4096', '-Wall', '-Wextra', '-Werror', '-Wno-unused-parameter', '-Wno-unused-function'],
];

/** Compiles and links a program. Throws with the output of the compiler. */
export function buildProgram(name: ProgramName): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'sbpf-'));
  try {
    const object = join(folder, `${name}.o`);
    const run = spawnSync(COMPILER, [...FLAGS, '-c', fileURLToPath(programFile(`${name}.c`)), '-o', object], {
      encoding: 'utf8',
    });
    if (run.status !== 0) throw new Error(`${COMPILER}: ${run.error?.message ?? run.stderr}`);
    return linkProgram(readFileSync(object));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const programs = PROGRAM_NAMES.map((name) => [name, buildProgram(name)] as const);
  for (const [name, bytes] of programs) writeFileSync(programFile(`${name}.so`), bytes);
  writeFileSync(HASHES_FILE, formatHashes(programs));
}
