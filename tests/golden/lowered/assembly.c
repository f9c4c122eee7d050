int shared, *pointer;

int main(void)
{
    int in = 2, out, *leads = &shared;
    __asm__ volatile("nop");
    __asm__("mov %1, %0" : "=r"(out) : "r"(in));
    __asm__ volatile("" ::: "memory");
    __asm__ volatile("inc %0" : "+m"(*leads) : "r"(in) : "memory");
    __asm__ volatile("" : "=r"(in) : "r"(leads) : "memory");
    if (out > in)
        __asm__("mov %1, %0" : "=m"(shared) : "r"(in));
    __asm__("lea %1, %0" : "=r"(pointer) : "m"(shared));
    return out;
}
