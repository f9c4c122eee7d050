/* Functions that are defined elsewhere; locks.toml says what they do. */
typedef struct { volatile int word; } kspinlock;

void kspin_lock(kspinlock *lock);
void kspin_unlock(kspinlock *lock);
void disable_interrupts(void);
void enable_interrupts(void);
unsigned char ticks(const char *clock);
void panic(const char *text);
int kadd(int *counter, int amount);
