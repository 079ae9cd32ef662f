// Ponder wants an HTTP application; nothing asks it anything but its own `/ready`.
import { Hono } from 'hono';

export default new Hono();
